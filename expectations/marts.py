def marts_suite(l, c):
    return []
