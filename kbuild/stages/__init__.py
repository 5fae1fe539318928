"""The stages: verb-named functions that pass frozen values on."""
