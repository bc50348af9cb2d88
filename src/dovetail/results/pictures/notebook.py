"""How a plot shows itself in a notebook: the interactive page, with a picture to fall back on."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from secrets import token_hex
from typing import Any

from .canvas import png
from .page import page, page_height, script_safe
from .sheet import Sheet
from .uplot import UplotMissing

# The picture is there from the beginning. Where scripts run, the page takes its place, in a frame
# that the styles of the notebook do not reach; where they do not (GitHub, a notebook that is not
# trusted), the picture stays.
_SWAP = """<script>
for (const here of document.querySelectorAll("[data-dovetail=KEY]")) {
  const still = here.querySelector("img");
  if (!still) continue;
  const frame = document.createElement("iframe");
  frame.srcdoc = PAGE;
  frame.style.cssText = "width:100%;height:HEIGHTpx;border:0";
  still.replaceWith(frame);
}
</script>"""


def bundle(sheet: Sheet, figure: Any, include: Any = None, exclude: Any = None) -> dict[str, Any]:
    """What a notebook may choose from."""
    still, key = b64encode(png(figure)).decode(), f"k{token_hex(8)}"
    try:
        below = _swap(sheet, key)
    except UplotMissing as missing:
        below = f"<p>{escape(str(missing))}</p>"
    source = f"data:image/png;base64,{still}"
    image = f'<img src="{source}" alt="{escape(sheet.title)}" style="max-width:100%">'
    shown = f"<div data-dovetail={key}>{image}</div>{below}"
    return {"text/html": shown, "image/png": still, "text/plain": f"Plot of {sheet.title}"}


def _swap(sheet: Sheet, key: str) -> str:
    filled = {"KEY": key, "HEIGHT": str(page_height(sheet))}
    script = _SWAP
    for name, text in filled.items():
        script = script.replace(name, text)
    return script.replace("PAGE", script_safe(page(sheet, inline=True)))
