{# How the values of a numeric column of a mart add up over rows: mart's columns -> what follows
   "Adds up:" in their comments.

   sum                   over any rows
   sum over <keys>       over rows that differ in these columns only
   sum where <condition> over rows that others do not include
   sum, a wider bound    the bound of the sum lies further in than the sum of bounds
   average weighted by   a column or what is worked out from some
   ratio of <a> and <b>  the sum of a over that of b, times a constant
   last, greatest, least one of the values: of an interval's state, the last
   setting, key          no figure
   no                    cannot be worked out from the rows

   A column of a name adds up alike in all marts, as adds_by_name says, unless its mart says otherwise in
   config.meta.adds: how -> names. #}
{% macro adding(node) %}
  {% set own, said = {}, {} %}
  {% for how, names in node.config.meta.get("adds", {}).items() %}
    {% for name in names %}{% do own.update({name: how}) %}{% endfor %}
  {% endfor %}
  {% set known = adds_by_name() %}
  {% for name, column in node.columns.items() if column.data_type not in ("varchar", "boolean") %}
    {% set how = own.get(name, known.get(name)) %}
    {% if how %}{% do said.update({name: how}) %}{% endif %}
  {% endfor %}
  {{ return(said) }}
{% endmacro %}

{# How columns of these names add up: name -> how. #}
{% macro adds_by_name() %}
  {% set adds = {
      "sum": "
        above_idle_cp_seconds above_idle_ziip_seconds accesses address_space_records
        address_space_seconds address_spaces_unknown after_offload_seconds alias_delayed_requests
        backout_count backout_cpu_seconds backout_elapsed_seconds backouts batches blocks
        blocks_read blocks_written browse_gets browses buffer_wait_seconds buffer_waits
        buffers_received buffers_sent busy_seconds bytes bytes_read bytes_received bytes_sent
        bytes_written captured_cp_seconds captured_seconds captured_ziip_seconds castouts cb_count
        cb_cpu_seconds cb_elapsed_seconds cbs cells cf_calls cf_multiple_calls cf_redrives
        cf_requests cf_single_calls cf_structure_full checkpoint_pages_written claims
        class_less_address_space_seconds class_records class_seconds close_count close_cpu_seconds
        close_elapsed_seconds closes commit_count commit_cpu_seconds commit_elapsed_seconds commits
        common_seconds control_intervals covered_seconds cp_seconds cpu_seconds ctl_count
        ctl_cpu_seconds ctl_elapsed_seconds ctl_srb_seconds ctls cycles dasd_connect_seconds
        dasd_requests data_manager_browses data_manager_gets data_manager_puts data_reclaims
        db2_deadlocks db2_requests db2_task_abends deferred_pages_written
        deferred_write_threshold_hits deferred_writes delay_capping_samples delay_contention_samples
        delay_cpu_samples delay_crypto_samples delay_io_samples delay_mpl_samples
        delay_paging_samples delay_queue_samples delay_samples delay_seconds delay_swap_in_samples
        delay_ziip_samples delayed_requests dependent_enclave_seconds destructive_gets
        directory_reclaims dispatch_seconds effective_seconds elapsed_seconds eligible_seconds
        empty_gets expired failed failed_allocations failed_requests failures figures
        figures_compared figures_different figures_of_runs files files_failed files_moved freemains
        full_batches full_count general_purpose_seconds get_bytes get_count get_cpu_seconds
        get_elapsed_seconds getmains gets gets_from_buffer_pool gets_from_disk gets_over_9999_bytes
        gets_to_9999_bytes gets_to_999_bytes gets_to_99_bytes hiperspace_seconds hours_covered
        idle_cp_seconds idle_samples idle_ziip_seconds immediate_pages_written immediate_writes
        independent_enclave_seconds initiator_seconds inq_count inq_cpu_seconds inq_elapsed_seconds
        inqs instructions interrupted io_interrupt_seconds ios key_reuses loads lock_releases
        lock_requests lock_waits log_buffer_pageins log_buffer_waits log_bytes_written
        log_checkpoints log_compression_requests log_control_intervals_written log_forced_requests
        log_forces log_reads_from_active_log log_reads_from_archive_log log_reads_from_buffer
        log_suspends log_threshold_writes log_unwaited_requests log_waited_requests log_write_ios
        log_writes measurements messages messages_got messages_put messages_skipped mqi_calls
        multiple_calls multiple_redrives network_gb network_money nonpersistent_put_bytes
        nonpersistent_puts online_seconds open_count open_cpu_seconds open_elapsed_seconds opens
        other_count other_cpu_seconds other_elapsed_seconds other_pages_read other_reads page_gets
        page_gets_new page_gets_old page_ins page_reads page_updates page_writes pages_read
        pages_skipped pages_written pairs parked_seconds partition_management_seconds path_busy
        persistent_bytes persistent_messages persistent_put_bytes persistent_puts
        preemptable_srb_seconds prepare_count prepare_cpu_seconds prepare_elapsed_seconds
        processor_seconds promoted_seconds publishes put1_count put1_cpu_seconds
        put1_elapsed_seconds put1s put_bytes put_count put_cpu_seconds put_elapsed_seconds
        put_retries puts puts_over_9999_bytes puts_to_9999_bytes puts_to_999_bytes puts_to_99_bytes
        queue_blocks queues ramp_seconds read_hits read_misses reads recipients records
        records_quarantined region_control_seconds requests rolled_back_gets rolled_back_puts
        rounding_seconds rows_loaded runs_after runs_before seconds sequential_ios service
        service_units set_count set_cpu_seconds set_elapsed_seconds sets short_on_buffers
        short_on_storage_abends short_on_storage_contractions short_on_storage_count single_calls
        single_redrives soft_capped_hours srb_seconds stat_count stat_cpu_seconds
        stat_elapsed_seconds stats steady_bytes steady_seconds steals steals_after_hash_change steps
        storage_failures structure_full sub_count sub_cpu_seconds sub_elapsed_seconds
        subchannel_wait_seconds subchannels_busy subrq_count subrq_cpu_seconds subrq_elapsed_seconds
        subrqs subs subscriptions_expired suspend_seconds suspends synchronous_read_bytes
        synchronous_reads synchronous_write_bytes synchronous_write_threshold_hits
        synchronous_writes system_overhead_seconds task_cpu_seconds tcb_seconds topic_cpu_seconds
        topic_elapsed_seconds topic_messages_delivered topic_publications
        topic_publications_without_subscriber topic_srb_seconds transactions transactions_abended
        transfer_seconds transfers transmission_queue_empty unaligned_seconds uncaptured_seconds
        unexplained_seconds unknown_samples used_seconds using_cpu_samples using_io_samples
        using_samples using_ziip_samples wait_cf_seconds wait_db2_seconds wait_latch_seconds
        wait_log_seconds wait_other_seconds wait_page_set_seconds wait_seconds wait_smds_seconds
        work_seconds write_ios writes zhpf_reads zhpf_writes ziip_cp_equivalent_seconds
        ziip_enclave_seconds ziip_on_cp_seconds ziip_seconds ziip_work_on_cp_samples",
      "greatest": "
        busiest_hour_consumed_msu db2_max_queue_depth db2_max_task_us exit_max_us greatest_size_mb
        highest_four_hour_average_msu highest_group_four_hour_average_msu highest_latent_demand_msu
        highest_long_term_average_msu highest_task_percent highest_ziip_factor highest_ziips_needed
        highest_ziips_online log_max_write_us longest_interval_seconds longest_request_us
        longest_response_us longest_seconds longest_service_us max_active_channels
        max_current_channels max_depth max_elements_used max_entries_used max_lu62_channels
        max_suspend_us max_task_busy_percent max_task_us max_tcp_channels max_time_on_queue_us
        max_write_us most_in_ready_work_units nettime_max_us oldest_message_age_seconds
        peak_four_hour_average_msu peak_hour_consumed_msu peak_hour_four_hour_average_msu
        peak_hour_long_term_average_msu peak_memory_bytes peak_partitions performance_index
        private_above_bar_bytes private_below_bar_bytes real_above_bar_bytes topic_max_publish_us",
      "least": "
        class_coverage exit_min_us least_share least_size_mb lowest_available_capacity_msu
        lowest_defined_capacity_msu lowest_free_buffers lowest_free_percent min_depth nettime_min_us
        processor_coverage",
      "last": "
        active_channels active_channels_percent cf_structures current_channels
        current_channels_percent db2_active_tasks db2_server_tasks durable_subscriptions expansions
        four_hour_average_msu four_hours_covered_percent free_bytes group_four_hour_average_msu
        lake_bytes lake_files long_term_average_msu long_term_time_on_queue_us
        processors_online_at_end published_bytes recent_time_on_queue_us shared_conversations
        storage_64bit_percent storage_available_31bit storage_memory_limit_64bit storage_used_mb
        subscriptions threads_online_at_end",
      "setting": "
        agent_checkpoint_interval agent_frame_size agent_window_size alarm arrivals
        available_capacity_msu batch_data_limit_kb batch_interval_ms batch_size batchint before_runs
        block_bytes block_size capacity_cylinders capacity_factor cf_level channels chunk_size
        chunk_size_bytes cipher_spec_code clients compressible cp_factor cps cpus days
        defined_capacity_msu digits duplicate_records engines expected_seconds exposures
        file_size_mb goal_percentile goal_seconds goal_velocity group_capacity_msu group_partitions
        importance interval_seconds latency_km latency_ms_one_way latency_ms_oneway log_copies
        loss_pct loss_percent message_size_bytes minutes money_per_cp_second more_runs
        mq_interval_seconds nesting_levels nodes periods physical_processors queue_managers
        records_loaded runs service_units_per_second sizes stripes systems systems_known
        usual_seconds utc_offset_minutes warning weight ziip_factor ziips",
      "key": "
        first_session_no last_session_no level_no
        address_space_id anomaly_id buffer_pool build_no
        card_number cell_id claim_id dispatcher_number domain first_line log_copy mq_reason_code
        order_no page_set partition_number period process publication_month publication_year
        record_no record_subtype record_type repetition result_code sample section_no session_no
        source_line step_number structure_number subchannel_set task_index task_number
        task_record_no",
      "no": "
        change change_high change_low last_value level level_before level_high level_low sessions
        usual_high usual_low
        average_delay_of_all_us best_value cache_hit_percent
        change_percent_of_before claimed_high claimed_low computed_high computed_low computed_median
        cost_money cost_per_GB_after_offload_high cost_per_GB_after_offload_low cost_per_GB_high
        cost_per_GB_low cost_per_transaction_after_offload_high_us
        cost_per_transaction_after_offload_low_us cost_per_transaction_high_us
        cost_per_transaction_low_us delayed_percent deviation_delay_us deviation_service_us
        difference difference_from_expected_points difference_percent
        difference_percent_of_predicted difference_percent_of_published dns_resolution_us estimate
        expected_for_cps expected_improvement_percent_of_before factors_agreeing held_against high
        high_percent highest hit_percent improvement_percent_of_before ios_queue_us levels
        log_compression_percent low low_percent lowest mean median ms_per_file
        ms_per_file_standard_error ms_per_mb noise_percent predicted printed
        printed_total published_high published_low published_value r2 reads_saved_percent recorded
        requests_percent response_deviation_seconds scatter_percent size_100_mb size_1024_mb
        size_10_mb size_1_mb spread_percent_of_least standard_value steady_rate_mb_per_second
        tolerance value value_after_high value_after_low value_before_high value_before_low
        value_high value_low whole_after whole_before whole_difference without_overhead
        write_hit_percent ziip_share_percent_high ziip_share_percent_low",
      "average weighted by batches": "nettime_average_us",
      "average weighted by blocks_read": "average_read_delay_us",
      "average weighted by blocks_written": "average_write_delay_us",
      "average weighted by bytes": "compression_percent",
      "average weighted by cf_multiple_calls": "cf_average_multiple_us",
      "average weighted by cf_single_calls": "cf_average_single_us",
      "average weighted by consumed_cp_seconds": "msu_hours_per_cp_second",
      "average weighted by cycles": "effective_ghz",
      "average weighted by dasd_requests": "
        dasd_connect_us dasd_disconnect_us dasd_iosq_us dasd_pending_us",
      "average weighted by db2_requests": "db2_average_server_us db2_average_task_us",
      "average weighted by deferred_writes": "deferred_average_write_us",
      "average weighted by failed_requests": "average_failed_us",
      "average weighted by general_purpose_seconds + ziip_cp_equivalent_seconds": "
        eligible_percent",
      "average weighted by get_count": "failed_get_percent",
      "average weighted by hours_covered": "consumed_msu latent_demand_msu",
      "average weighted by immediate_writes": "immediate_average_write_us",
      "average weighted by instructions": "
        complexity_cpi finite_cpi l1_miss_percent problem_state_percent",
      "average weighted by instructions * l1_miss_percent": "
        cycles_per_miss l2_percent l3_percent l4_local_percent l4_remote_percent memory_percent rni",
      "average weighted by interval_seconds": "
        active_enclaves active_transactions appl_percent average_use_percent busy_percent
        bytes_per_second calls_per_second capped_percent cf_calls_per_second effective_processors
        entitled_msu group_consumed_msu group_unused_msu in_ready_work_units
        io_interrupts_per_second log_mb_per_second log_physical_mb_per_second
        log_writer_busy_percent machine_busy_percent mb_per_second messages_per_second
        mvs_busy_percent page_ins_per_second processor_msu processors_online put_bytes_per_second
        put_requests_per_second queued_at_least_work_units queued_work_units read_mb_per_second
        requests_at_a_time reserved_percent resident_transactions soft_capped_percent
        undispatched_processors used_percent utilisation_percent write_mb_per_second
        ziip_appl_percent ziip_on_cp_appl_percent ziips_online",
      "average weighted by ios": "
        average_command_response_us average_connect_us average_control_unit_queue_us
        average_device_busy_us average_disconnect_us average_ios_queue_us average_pending_us
        average_response_us",
      "average weighted by log_write_ios": "log_average_suspend_us log_average_write_us",
      "average weighted by messages": "exit_average_us",
      "average weighted by messages_got": "average_time_on_queue_us",
      "average weighted by messages_put": "persistent_put_percent put_to_waiting_getter_percent",
      "average weighted by multiple_calls": "average_multiple_us",
      "average weighted by online_seconds": "lpar_busy_percent",
      "average weighted by operations": "average_execution_us",
      "average weighted by other_reads": "average_other_read_us",
      "average weighted by reads": "average_read_us",
      "average weighted by requests": "average_server_us average_service_us average_task_us",
      "average weighted by seconds": "coverage rate_mb_per_second records_per_second",
      "average weighted by single_calls": "average_single_us",
      "average weighted by synchronous_reads": "average_synchronous_read_us",
      "average weighted by synchronous_writes": "average_synchronous_write_us",
      "average weighted by topic_publications": "topic_average_publish_us",
      "average weighted by transactions": "
        affinity_seconds conversion_seconds execution_seconds ineligible_seconds queue_seconds
        response_seconds",
      "average weighted by using_samples + delay_samples": "delay_cpu_percent velocity_percent",
      "average weighted by writes": "average_suspend_us average_write_us",
      "ratio of backout_cpu_seconds and backout_count": "backout_cpu_us",
      "ratio of backout_elapsed_seconds and backout_count": "backout_elapsed_us",
      "ratio of blocks and interval_seconds": "blocks_per_second",
      "ratio of busy_seconds and events": "average_us",
      "ratio of bytes and messages": "average_message_bytes",
      "ratio of cb_cpu_seconds and cb_count": "cb_cpu_us",
      "ratio of cb_elapsed_seconds and cb_count": "cb_elapsed_us",
      "ratio of cbs and interval_seconds": "cbs_per_second",
      "ratio of class_seconds and processor_seconds": "capture_percent",
      "ratio of close_cpu_seconds and close_count": "close_cpu_us",
      "ratio of close_elapsed_seconds and close_count": "close_elapsed_us",
      "ratio of closes and interval_seconds": "closes_per_second",
      "ratio of commit_cpu_seconds and commit_count": "commit_cpu_us",
      "ratio of commit_elapsed_seconds and commit_count": "commit_elapsed_us",
      "ratio of common_seconds and interval_seconds": "rmf_share",
      "ratio of common_seconds and mq_interval_seconds": "mq_share",
      "ratio of contended_requests and requests": "contended_percent",
      "ratio of control_intervals and writes": "average_control_intervals",
      "ratio of cpu_seconds and events": "average_cpu_us",
      "ratio of cpu_seconds and interval_seconds": "cpu_percent",
      "ratio of cpu_seconds and messages": "cpu_us_per_message",
      "ratio of cpu_seconds and mqi_calls": "cpu_us_per_call",
      "ratio of cpu_seconds and requests": "cpu_us_per_request",
      "ratio of ctl_cpu_seconds and ctl_count": "ctl_cpu_us",
      "ratio of ctl_elapsed_seconds and ctl_count": "ctl_elapsed_us",
      "ratio of ctls and interval_seconds": "ctls_per_second",
      "ratio of cycles and instructions": "cpi",
      "ratio of dasd_requests and interval_seconds": "dasd_requests_per_second",
      "ratio of db2_requests and interval_seconds": "db2_requests_per_second",
      "ratio of delay_seconds and delayed_requests": "average_delay_us",
      "ratio of elapsed_seconds and messages": "elapsed_us_per_message",
      "ratio of elapsed_seconds and requests": "elapsed_us_per_request",
      "ratio of elements_used and max_elements": "elements_used_percent",
      "ratio of eligible_seconds and cpu_seconds": "ziip_share_percent",
      "ratio of entries_used and max_entries": "entries_used_percent",
      "ratio of false_contended_requests and requests": "false_contended_percent",
      "ratio of full_batches and batches": "full_batch_percent",
      "ratio of get_bytes and messages_got": "average_get_bytes",
      "ratio of get_cpu_seconds and get_count": "get_cpu_us",
      "ratio of get_elapsed_seconds and get_count": "get_elapsed_us",
      "ratio of gets and interval_seconds": "gets_per_second",
      "ratio of gets_from_disk and gets_from_disk + gets_from_buffer_pool": "
        gets_from_disk_percent",
      "ratio of inq_cpu_seconds and inq_count": "inq_cpu_us",
      "ratio of inq_elapsed_seconds and inq_count": "inq_elapsed_us",
      "ratio of inqs and interval_seconds": "inqs_per_second",
      "ratio of ios and interval_seconds": "ios_per_second",
      "ratio of lock_entries_used and max_lock_entries": "lock_entries_used_percent",
      "ratio of lock_requests and interval_seconds": "lock_requests_per_second",
      "ratio of lock_waits and lock_requests": "lock_wait_percent",
      "ratio of messages and batches": "achieved_batch_size",
      "ratio of messages_got and interval_seconds": "messages_got_per_second",
      "ratio of messages_put and interval_seconds": "messages_put_per_second",
      "ratio of mqi_calls and interval_seconds": "mqi_calls_per_second",
      "ratio of open_cpu_seconds and open_count": "open_cpu_us",
      "ratio of open_elapsed_seconds and open_count": "open_elapsed_us",
      "ratio of opens and interval_seconds": "opens_per_second",
      "ratio of operations and interval_seconds": "operations_per_second",
      "ratio of other_cpu_seconds and other_count": "other_cpu_us",
      "ratio of other_elapsed_seconds and other_count": "other_elapsed_us",
      "ratio of page_gets and interval_seconds": "page_gets_per_second",
      "ratio of page_writes and interval_seconds": "page_writes_per_second",
      "ratio of page_writes and write_ios": "pages_per_write_io",
      "ratio of prepare_cpu_seconds and prepare_count": "prepare_cpu_us",
      "ratio of prepare_elapsed_seconds and prepare_count": "prepare_elapsed_us",
      "ratio of publishes and interval_seconds": "publishes_per_second",
      "ratio of put1_cpu_seconds and put1_count": "put1_cpu_us",
      "ratio of put1_elapsed_seconds and put1_count": "put1_elapsed_us",
      "ratio of put1s and interval_seconds": "put1s_per_second",
      "ratio of put_bytes and messages_put": "average_put_bytes",
      "ratio of put_cpu_seconds and put_count": "put_cpu_us",
      "ratio of put_elapsed_seconds and put_count": "put_elapsed_us",
      "ratio of puts and interval_seconds": "puts_per_second",
      "ratio of read_hits and read_hits + read_misses": "read_hit_percent",
      "ratio of requests and interval_seconds": "requests_per_second",
      "ratio of set_cpu_seconds and set_count": "set_cpu_us",
      "ratio of set_elapsed_seconds and set_count": "set_elapsed_us",
      "ratio of sets and interval_seconds": "sets_per_second",
      "ratio of single_redrives + multiple_redrives and single_calls + multiple_calls": "
        redrive_percent",
      "ratio of stat_cpu_seconds and stat_count": "stat_cpu_us",
      "ratio of stat_elapsed_seconds and stat_count": "stat_elapsed_us",
      "ratio of stats and interval_seconds": "stats_per_second",
      "ratio of sub_cpu_seconds and sub_count": "sub_cpu_us",
      "ratio of sub_elapsed_seconds and sub_count": "sub_elapsed_us",
      "ratio of subrq_cpu_seconds and subrq_count": "subrq_cpu_us",
      "ratio of subrq_elapsed_seconds and subrq_count": "subrq_elapsed_us",
      "ratio of subrqs and interval_seconds": "subrqs_per_second",
      "ratio of subs and interval_seconds": "subs_per_second",
      "ratio of topic_publications and interval_seconds": "topic_publications_per_second",
      "ratio of transactions and interval_seconds": "transactions_per_second",
      "ratio of wait_cf_seconds and messages": "wait_cf_us_per_message",
      "ratio of wait_db2_seconds and messages": "wait_db2_us_per_message",
      "ratio of wait_latch_seconds and messages": "wait_latch_us_per_message",
      "ratio of wait_log_seconds and messages": "wait_log_us_per_message",
      "ratio of wait_other_seconds and messages": "wait_other_us_per_message",
      "ratio of wait_page_set_seconds and messages": "wait_page_set_us_per_message",
      "ratio of wait_smds_seconds and messages": "wait_smds_us_per_message",
      "ratio of writes and interval_seconds": "writes_per_second",
      "ratio of zhpf_reads + zhpf_writes and ios": "zhpf_percent",
      "ratio of ziip_cp_equivalent_seconds and cpu_seconds": "offloaded_percent",
      "ratio of ziip_on_cp_seconds and eligible_seconds": "eligible_on_cp_percent",
      "sum over buffer_pool": "buffer_bytes buffers current_free_buffers",
      "sum over coupling_facility": "
        dedicated_processors dump_space_mb free_mb shared_processors storage_class_memory_free_mb
        storage_class_memory_mb storage_mb used_mb",
      "sum over coupling_facility, structure_name": "
        data_elements data_elements_used directory_entries directory_entries_used elements_used
        entries_used list_headers lock_entries_used max_elements max_entries max_lock_entries
        policy_mb size_mb",
      "sum over hour_utc, system_id": "
        consumed_cp_seconds consumed_seconds four_hour_seconds intervals latent_seconds
        long_term_seconds rolled_intervals soft_capped_seconds",
      "sum over interval_start_utc, card_kind, card_number, domain": "operations",
      "sum over month": "hours hours_known msu_hours",
      "sum over page_set": "nonpersistent_pages pages persistent_pages unused_pages",
      "sum over part": "
        difference_high difference_low difference_percent_of_whole value_after value_before",
      "sum over queue_name, cf_structure_name": "depth open_input_count open_output_count",
      "sum over record_type, record_subtype": "type_extra_bytes type_records type_sections",
      "sum over structure_name": "
        blocks_for_data blocks_free blocks_total blocks_used buffers_used",
      "sum over sysplex, system_id, partition_name": "logical_processors",
      "sum over system_id": "
        containers_level_1 containers_level_2 containers_level_3 containers_level_4
        containers_level_5 containers_level_6 cost_per_GB cost_per_GB_after_offload
        cost_per_transaction_after_offload_us cost_per_transaction_us cps_online mips processors
        processors_busy ziips_needed ziips_needed_high ziips_needed_low",
      "sum over system_id, coupling_facility": "paths subchannels_defined subchannels_usable",
      "sum over system_id, object_name, part where not is_included": "events_per_second",
      "sum over task_type": "tasks tasks_used",
      "sum where not is_included": "
        busy_seconds_high busy_seconds_low bytes_moved bytes_moved_high bytes_moved_low
        contended_requests events events_high events_low false_contended_requests",
      "sum, a wider bound": "
        after_offload_seconds_high after_offload_seconds_low cpu_seconds_high cpu_seconds_low
        eligible_seconds_high eligible_seconds_low general_purpose_seconds_high
        general_purpose_seconds_low system_overhead_seconds_high system_overhead_seconds_low
        ziip_cp_equivalent_seconds_high ziip_cp_equivalent_seconds_low ziip_on_cp_seconds_high
        ziip_on_cp_seconds_low ziip_seconds_high ziip_seconds_low",
  } %}
  {% set found = {} %}
  {% for how, names in adds.items() %}
    {% for name in names.split() %}{% do found.update({name: how}) %}{% endfor %}
  {% endfor %}
  {{ return(found) }}
{% endmacro %}

{# At the end, note in meta.measure how the columns of all marts add up, for whoever aggregates them. #}
{% macro note_measures() %}
  {% if not execute %}{{ return("") }}{% endif %}
  {% set adds = {} %}
  {% for node in graph.nodes.values() if node.schema == "marts" %}
    {% do adds.update({node.alias: adding(node)}) %}
  {% endfor %}
  {% set table = "work.meta.measure" if builds_in_lake() else target.database ~ ".meta.measure" %}
  {% set comments = {
      "table " ~ table: "How each column of figures of the marts adds up over rows",
      "column " ~ table ~ ".mart": "The mart",
      "column " ~ table ~ ".name": "The column",
      "column " ~ table ~ ".adds": "sum, mean (weighted), ratio (of two sums), greatest, least, last; "
      ~ "setting and key: no figure; no: cannot be worked out from the rows",
      "column " ~ table ~ '."by"': "Of a mean its weight, of a ratio its denominator, of a sum the columns "
      ~ "that it is over, if not over all; SQL on the mart",
      "column " ~ table ~ ".says": "The same in words",
  } %}
  create or replace table {{ table }} as
  select
    mart.key as mart,
    told.key as name,
    told.value ->> '$' as says,
    case
      when says like 'average weighted by %' then 'mean'
      when says like 'ratio of %' then 'ratio'
      when says like 'sum%' then 'sum'
      else says
    end as adds,
    nullif(regexp_extract(says, '^(?:average weighted by|ratio of .* and|sum over) (.*)$', 1), '') as "by"
  from json_each('{{ tojson(adds) | replace("'", "''") }}'::json) as mart, json_each(mart.value) as told
  where says is not null;
  {% for what, comment in comments.items() %}
    comment on {{ what }} is '{{ comment }}';
  {% endfor %}
{% endmacro %}
