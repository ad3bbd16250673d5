"""Reports: one HTML file each, that opens anywhere without a network and prints well."""
