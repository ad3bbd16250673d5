-- bundled
-- Volumes respond as simulated: durations are recorded in units of 128 us.
WITH made AS (
    SELECT system, interval, volume, requests, pending_us AS pending, disconnect_us AS disconnect,
        connect_us AS connect, device_busy_us AS device_busy,
        command_response_us AS command_response
    FROM kept_volume
),
found AS (
    SELECT system_id AS system, interval, volume, requests,
        coalesce(average_pending_us * requests, 0) AS pending,
        coalesce(average_disconnect_us * requests, 0) AS disconnect,
        coalesce(average_connect_us * requests, 0) AS connect,
        coalesce(average_device_busy_us * requests, 0) AS device_busy,
        coalesce(average_command_response_us * requests, 0) AS command_response
    FROM marts.fct_volume_interval
    JOIN done_interval AS place ON place.system = system_id AND place.start = interval_start_utc
    WHERE origin = 'simulated'
),
checked AS (
    SELECT concat_ws(' ', system, interval, volume) AS key, (
        abs(made.requests - found.requests) <= 128
        AND abs(made.pending - found.pending) <= 128
        AND abs(made.disconnect - found.disconnect) <= 128
        AND abs(made.connect - found.connect) <= 128
        AND abs(made.device_busy - found.device_busy) <= 128
        AND abs(made.command_response - found.command_response) <= 128
    ) IS NOT true AS is_wrong
    FROM made FULL JOIN found USING (system, interval, volume)
)
SELECT count(*) AS rows, count_if(is_wrong) AS wrong, any_value(key) FILTER (is_wrong) AS example
FROM checked
