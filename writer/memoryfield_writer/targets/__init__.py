"""Where fields can be written: an archive or a folder on this machine, an archive in S3."""
