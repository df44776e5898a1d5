// API: placeholder, replaced by the first real file.
