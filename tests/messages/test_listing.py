"""The page of errors lists what the tests say."""

from messages.listing import PAGE, rows, written


def test_the_list_of_messages_is_up_to_date():
    """If not: python tests/messages/listing.py --write."""
    assert len(rows()) > 25
    assert written() == PAGE.read_text(encoding="utf-8")
