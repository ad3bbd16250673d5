"""What filters take from the address, what they put into it, and what they say."""

from streamlit.testing.v1 import AppTest

from tests.kit.cases import cases


def page():
    import streamlit as st

    from app.dashboard import filters

    newest = st.session_state.get("newest", "b2")
    filters.begin(st.session_state.get("page", "one"))
    filters.choice("Build", ["b1", "b2", "b3"], "build", default=newest)
    filters.switch("Show", ["open", "all"], "shown")
    filters.choices("System", ["SY1", "SY2", "SY3"], "system", default=["SY1"], most=2)
    filters.choices("Metrics (of 2)", ["rate", "cost"], "figures", placeholder="all")
    if st.session_state.get("page", "one") == "one":
        filters.amount("MSU of a CP", 1.5, "msu", least=1)
    filters.text("Query", "select 1", "sql", height=100)
    filters.end()


USUAL = {
    "build": "b2", "shown": "open", "system": "SY1", "msu": "1.5", "sql": "select 1",
}  # fmt: skip


def opened(**address):
    test = AppTest.from_function(page)
    test.query_params.update(address)
    return shown(test)


def shown(test):
    test.run()
    assert not test.exception
    return test


def said(test):
    return [message.value.replace("\\", "") for message in test.warning]


def test_address_holds_what_is_shown_with_defaults():
    test = opened()
    assert test.query_params == USUAL
    assert said(test) == []


@cases
def test_value_that_is_not_there_is_said(key, value, what):
    test = opened(**{key: value})
    assert said(test) == [what]
    assert said(shown(test)) == []  # the address has what is shown by then


@cases
def test_address_sets_filters_and_keeps_its_values(address):
    test = opened(**address)
    assert test.query_params == USUAL | address
    assert said(test) == []
    assert shown(test).query_params == USUAL | address


def test_filter_that_is_set_changes_the_address():
    test = opened(build="b1")
    test.selectbox(key="build").set_value("b3")
    test.multiselect(key="system").set_value(["SY2"])
    assert shown(test).query_params == USUAL | {"build": "b3", "system": "SY2"}


def test_default_that_moves_is_followed_until_the_filter_is_set():
    test = opened()
    test.session_state["newest"] = "b3"
    assert shown(test).query_params["build"] == "b3"
    test.selectbox(key="build").set_value("b1").run()
    test.session_state["newest"] = "b2"
    assert shown(test).query_params["build"] == "b1"
    copied = dict(opened().query_params)
    tomorrow = AppTest.from_function(page)
    tomorrow.session_state["newest"] = "b3"
    tomorrow.query_params.update(copied)
    assert shown(tomorrow).query_params["build"] == "b2"


def test_another_address_on_the_same_page_is_followed():
    test = opened(build="b1")
    test.query_params["build"] = "b3"
    assert shown(test).selectbox(key="build").value == "b3"


def test_late_answer_of_the_browser_is_no_news():
    test = opened(build="b1")
    test.selectbox(key="build").set_value("b3").run()
    test.query_params["build"] = "b1"  # the address from before the browser heard of b3
    test.selectbox(key="build").set_value("b2")
    assert shown(test).query_params["build"] == "b2"


def test_filters_are_kept_on_another_page_and_those_it_lacks_leave_the_address():
    test = opened(build="b1", msu="3")
    test.session_state["page"] = "two"
    test.query_params.clear()
    expected = USUAL | {"build": "b1"}
    assert shown(test).query_params == {key: expected[key] for key in USUAL if key != "msu"}
    test.session_state["page"] = "one"
    assert shown(test).query_params["msu"] == "3"
