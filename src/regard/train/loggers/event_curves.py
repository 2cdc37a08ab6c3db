"""Events as named values, for services that draw curves."""

from __future__ import annotations

from regard.train.events import Event, StepCompleted, ValidationCompleted


def event_curves(event: Event) -> dict[str, float]:
    """Return the values of an event by the name of their curve; empty if it has none."""
    match event:
        case StepCompleted():
            return {
                "train/loss": event.loss,
                **{f"train/{name}": value for name, value in event.parts.items()},
                "train/rate": event.rate,
                "train/norm": event.norm,
                "train/tokens_per_second": event.tokens / event.seconds,
            }
        case ValidationCompleted():
            return {f"valid/{name}": value for name, value in event.scores.values.items()}
    return {}
