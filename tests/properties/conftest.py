"""How hypothesis searches here: the same examples every time, and no clock to race against."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "dovetail",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("dovetail")
