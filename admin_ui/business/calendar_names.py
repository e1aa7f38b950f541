"""What the calendars that can keep a business's appointments are called on the pages, by their integrations' names."""

OUTSIDE = {
    "googleCalendar": "Google Calendar",
    "microsoftCalendar": "Microsoft 365",
    "caldavCalendar": "CalDAV calendar",
}
ALL = {**OUTSIDE, "builtinCalendar": "Built-in calendar"}
