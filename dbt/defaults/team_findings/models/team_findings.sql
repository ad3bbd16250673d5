{{ findings() }}
