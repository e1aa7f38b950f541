"""Commands of the manual that take too long, or need too much, to be run here, and the tests that run their work."""

from collections.abc import Mapping

_BENCH = "tests/scripts/test_bench.py"
_DRILL = "tests/scripts/test_drill.py"
_WALK = "tests/scripts/test_walkthrough.py"
_SUITES = "tests/scripts/evals/test_command.py::test_shipped_scenarios_come_to_what_they_expect"
_SUITE = "tests/scripts/test_suite.py::test_every_test_is_in_exactly_one_group"
_RUN = "tests/scripts/test_run.py"

BY_BEGINNING: Mapping[str, str] = {
    "scripts/run # set up": f"{_RUN}::test_it_serves_when_it_says_so",
    "scripts/build_tools scripts/call_tool opening_song": f"{_WALK}::test_a_tool_is_three_files",
    "SONG=functions/switchboard/tools/opening_song": f"{_WALK}::test_a_tool_is_three_files",
    "scripts/build_tools .venv/bin/python -m pytest": f"{_WALK}::test_an_integration_is_one_folder",
    "sed -i 's/integration:weather": f"{_WALK}::test_an_integration_is_one_folder",
    "SERVED=$(mktemp -d)": f"{_WALK}::test_an_integration_is_one_folder",
    "SWITCHBOARD_WEATHER_BASE_URL=": f"{_WALK}::test_an_integration_is_one_folder",
    "U=http://127.0.0.1:8080 KEY=sb_demo OWNER=sb_owner WEATHER=": f"{_WALK}::test_an_integration_is_one_folder",
    "scripts/backup export moved.jsonl --project FIRST-PROJECT": (
        "tests/operations/test_second_region.py::test_a_delivery_that_was_answered_in_one_region_is_known_in_the_other"
    ),
}
"""Blocks of several lines, by how they begin."""

WHOLE: Mapping[str, str] = {
    "uvicorn main:app": "tests/channels/test_serving.py::test_uvicorn_serves_the_same_paths_in_one_process",
    "cd functions && functions-framework --asgi --target tools": (
        "tests/channels/test_serving.py::test_the_tools_function_serves_under_functions_framework"
    ),
    "scripts/bench --peers": f"{_BENCH}::test_a_figure_prints_the_machine_and_its_table",
    "scripts/bench [figure …]": f"{_BENCH}::test_a_figure_prints_the_machine_and_its_table",
    "scripts/bench --load": f"{_BENCH}::test_load_measures_servers_under_load_instead",
    "scripts/bench prompt": (
        "tests/scripts/test_prompt_size.py::test_a_first_request_stays_within_its_tokens_and_its_beginning_stays_the_same"
    ),
    "scripts/bench played": "tests/conversations/test_played.py::test_a_recorded_conversation_goes_as_it_went",
    "scripts/bench dollars": "tests/deploy/test_costs.py::test_the_manual_has_the_dollars_that_the_command_tells",
    "scripts/bench costs": "tests/deploy/test_costs.py::test_what_a_conversation_writes_is_bounded",
    "scripts/bench scale": "tests/scripts/test_bench_scale.py::test_the_same_calls_come_each_time",
    "scripts/drill [name …]": f"{_DRILL}::test_every_drill_that_needs_no_emulator_comes_to_its_end",
    "scripts/drill simulate [--seed N] [--calls N] [--json FILE]": (
        "tests/scripts/simulator/test_histories.py::"
        "test_the_command_prints_a_digest_and_ends_with_0_where_no_promise_is_broken"
    ),
    "scripts/drill --full restore": f"{_DRILL}::test_every_drill_over_the_emulator_comes_to_its_end",
    "scripts/drill --against emulate": (
        f"{_DRILL}::test_servers_that_others_wrote_are_spoken_to_as_our_own_stand_ins_are"
    ),
    "scripts/eval": _SUITES,
    "scripts/eval salon abuse": _SUITES,
    "scripts/eval my_scenario.yaml": (
        "tests/scripts/evals/test_command.py::test_a_file_that_is_no_scenario_keeps_no_other_from_being_held"
    ),
    "scripts/eval salon --plain --talk": _SUITES,
    "scripts/mutate evals": (
        "tests/scripts/mutation/test_faults.py::"
        "test_what_finds_a_fault_is_named_and_what_stands_in_the_file_is_left_alone"
    ),
    "scripts/eval --business ID": (
        "tests/scripts/evals/test_stored.py::test_what_a_business_keeps_is_held_with_the_business_as_it_is_now"
    ),
    "scripts/mutate --least 85": (
        "tests/scripts/test_mutate.py::test_small_wrong_changes_of_the_table_of_states_are_noticed"
    ),
    "scripts/lock --upgrade": "tests/operations/test_supply.py::test_what_is_asked_for_reaches_the_resolver",
    "scripts/vapi_status demo-salon": (
        "tests/scripts/test_vapi_status.py::test_what_is_not_in_line_is_shown_and_then_repaired"
    ),
    "firebase deploy": (
        "tests/deploy/test_firebase_json.py::test_the_firebase_cli_cannot_send_a_second_set_of_functions"
    ),
    "firebase emulators:start --project demo-switchboard": (
        "tests/deploy/test_firebase_json.py::test_emulators_listen_on_this_machine_alone_and_in_each_other_s_way_never"
    ),
    "python3.11 -m venv functions/venv && "
    "functions/venv/bin/pip install --require-hashes -r functions/requirements.txt": (
        "tests/operations/test_supply.py::test_everything_that_is_installed_is_pinned_by_hash"
    ),
    "scripts/test --fast": _SUITE,
    "scripts/test --pythons": (
        "tests/operations/test_other_pythons.py::test_what_was_found_and_what_passed_stands_in_a_table"
    ),
    "SWITCHBOARD_FUZZ_EXAMPLES=50 scripts/test tests/operations/test_strange_requests.py": (
        "tests/operations/test_strange_requests.py::test_nothing_that_is_asked_breaks_an_operation"
    ),
    ".venv/bin/python -m tests.stand_ins.extract": (
        "tests/stand_ins/test_extract.py::test_what_is_written_is_the_extract_of_the_document_and_names_it"
    ),
}
"""Single commands; those of `scripts/` are also held against the options that the script takes."""
