"""Text to vectors: on this machine without a model, or asked of OpenAI-compatible endpoints or Gemini."""
