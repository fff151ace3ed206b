"""The style sheet of the page of equations: light and dark, on screen and on paper."""

STYLE = """\
:root {
  color-scheme: light dark;
  --ink: #1c2430; --soft: #667084; --page: #ffffff; --panel: #f5f7fa; --line: #dde2ea; --accent: #1f5fbf;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ef; --soft: #97a1b3; --page: #14181f; --panel: #1c222c; --line: #303947; --accent: #7fb0ff; }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 4rem; }
body {
  margin: 0 auto; padding: 0 1.5rem 6rem; max-width: 72rem; background: var(--page); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
header { padding: 2.5rem 0 1rem; }
h1 { margin: 0; font-size: 2rem; letter-spacing: -0.01em; overflow-wrap: anywhere; }
header p { margin: 0; color: var(--soft); }
h2, summary { margin: 2rem 0 0.75rem; font-size: 1.15rem; font-weight: 650; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
nav {
  position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; padding: 0.6rem 0;
  background: var(--page); border-bottom: 1px solid var(--line);
}
.balance, .sum, .name, .grid caption, .dots th {
  font-family: "STIX Two Text", Cambria, Georgia, "Times New Roman", serif;
}
.balance {
  margin: 1.5rem 0; padding: 0.9rem 1.2rem; background: var(--panel); border-radius: 0.5rem; font-size: 1.25rem;
}
.columns { display: flex; flex-wrap: wrap; gap: 0 3.5rem; align-items: flex-start; }
.unit { color: var(--soft); font-size: 0.85rem; font-weight: 400; font-family: system-ui, sans-serif; }
ul { margin: 0; padding-left: 1.1rem; }
.remarks { margin-top: 1.5rem; color: var(--soft); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.plain td { padding: 0.1rem 1.2rem 0.1rem 0; vertical-align: baseline; }
.grid { margin: 0 0 1.5rem; display: block; overflow-x: auto; max-width: 100%; }
.grid caption { padding-bottom: 0.25rem; text-align: left; font-size: 1.1rem; }
.grid th { padding: 0 0.4rem; color: var(--soft); font-size: 0.75rem; font-weight: 400; }
.grid td {
  min-width: 2.4rem; height: 1.9rem; border: 1px solid var(--line); text-align: center; font-size: 0.85rem;
  background: color-mix(in srgb, var(--accent) var(--shade, 0%), var(--page));
}
.grid td.mirror { background: var(--panel); }
.grid td a { display: block; padding: 0 0.3rem; color: inherit; }
.dots th { padding: 0.05rem 0.9rem 0.05rem 0; text-align: left; font-weight: 400; white-space: nowrap; }
.dots td {
  width: 2.6rem; border-bottom: 1px solid var(--line); color: var(--accent); text-align: center; font-size: 0.7rem;
}
.dots thead th { text-align: center; padding: 0 0.5rem; color: var(--soft); }
summary { cursor: pointer; }
.entry { display: flex; gap: 0.6rem; margin: 0; padding: 0.45rem 0.6rem; border-radius: 0.4rem; }
.entry:target { background: var(--panel); outline: 1px solid var(--line); }
.entry > div:first-child { flex: none; min-width: 4.2rem; white-space: nowrap; }
details.entry { display: block; }
details.entry summary { margin: 0; font-size: 1rem; font-weight: 400; }
.name { font-size: 1.05rem; }
.sum { font-size: 1.05rem; line-height: 1.75; }
.sum span { white-space: nowrap; }
details .sum { padding-left: 4.8rem; }
sub, sup { font-size: 0.72em; line-height: 0; }
@media (max-width: 40rem) { .entry { display: block; } details .sum { padding-left: 0; } }
@media print { nav { display: none; } body { max-width: none; font-size: 11px; } }
"""
"""The whole style sheet."""
