"""Tell what the business offers."""
