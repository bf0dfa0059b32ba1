"""What the OpenAPI document is built from. See docs/http.md."""
