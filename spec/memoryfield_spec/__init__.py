"""The memoryfield standard: its requirements, their texts, and the JSON Schemas."""

from memoryfield_spec.catalogue import (
    Level,
    Requirement,
    UnknownRequirement,
    catalogue,
    requirement,
)
from memoryfield_spec.document import Example, examples, standard
from memoryfield_spec.models import Model, model_of, models
from memoryfield_spec.schemas import SchemaName, schema

__version__ = "0.1.0"

__all__ = [
    "Example",
    "Level",
    "Model",
    "Requirement",
    "SchemaName",
    "UnknownRequirement",
    "__version__",
    "catalogue",
    "examples",
    "model_of",
    "models",
    "requirement",
    "schema",
    "standard",
]
