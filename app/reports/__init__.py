"""Reports: one HTML file each, which opens anywhere without a network and prints well."""
