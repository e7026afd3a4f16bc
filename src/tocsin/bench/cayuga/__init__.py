"""The technical benchmark of Cayuga, section 4: five templates, hundreds of thousands of rows."""
