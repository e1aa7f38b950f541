"""What `streamlit run` starts: the owners' pages."""

from admin_ui import frame

frame.draw()
