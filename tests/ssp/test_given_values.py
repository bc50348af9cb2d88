"""Values of an SSD reach FMUs that take all values back when they are set up, as 20-sim's do."""

import numpy as np

import dovetail as dv

SSD = """<?xml version="1.0"?>
<SystemStructureDescription version="1.0" name="demo"
    xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription"
    xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"
    xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues">
  <System name="root"><Elements>
    <Component name="a" source="resources/linear.fmu">
      <Connectors><Connector name="y" kind="output"><ssc:Real/></Connector></Connectors>
      <ParameterBindings><ParameterBinding><ParameterValues>
        <ssv:ParameterSet version="1.0" name="given"><ssv:Parameters>
          <ssv:Parameter name="x"><ssv:Real value="69"/></ssv:Parameter>
        </ssv:Parameters></ssv:ParameterSet>
      </ParameterValues></ParameterBinding></ParameterBindings>
    </Component>
  </Elements></System>
</SystemStructureDescription>"""


def test_a_start_value_is_seen_in_the_output(folder, archive, tmp_path):
    """y = c x with c = 1, so the first output is the state that was given."""
    path = folder(SSD)
    (tmp_path / "resources/linear.fmu").symlink_to(archive("linear", 2, flaw="setup"))
    result = dv.simulate(path, stop=1.0, controller=dv.FixedStep(0.1), quiet=True)
    assert np.array(result["a.y"])[0] == 69.0
