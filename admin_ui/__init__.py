"""The owners' pages (Streamlit). They know the server by HTTP only, so they work with every store."""
