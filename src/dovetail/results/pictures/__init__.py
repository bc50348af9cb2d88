"""Results as pictures: drawn once as PNG, SVG or PDF, or as a page to look into by hand."""
