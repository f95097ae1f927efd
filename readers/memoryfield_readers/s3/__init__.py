"""The S3 API, spoken through s3fs; loaded only where a location asks for it."""
