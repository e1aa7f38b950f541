"""What `streamlit run` starts: the owners' pages."""

from admin_ui.shell import frame

frame.draw()
