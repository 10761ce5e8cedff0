"""Everything a person may get wrong, and the exact sentence that comes back: object, rule, way out."""
