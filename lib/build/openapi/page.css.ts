/** The style of the documentation pages: light and dark by the system's setting, from 320 px wide. */
export const css = `
:root{color-scheme:light dark;--text:light-dark(#16202b,#dde4ec);--soft:light-dark(#566476,#9aa8b8);--line:light-dark(#d9e0e8,#2c3744);--back:light-dark(#fff,#12181f);--panel:light-dark(#f5f7fa,#1a222c);--link:light-dark(#0b5cad,#7db7f5);--get:light-dark(#0b6b3a,#6fd19c);--post:light-dark(#8a4b08,#f0b266);--delete:light-dark(#a11d33,#f08a9b)}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1rem}
body{margin:0;font:16px/1.55 system-ui,-apple-system,'Segoe UI',sans-serif;color:var(--text);background:var(--back)}
.frame{display:grid;grid-template-columns:17rem minmax(0,1fr);max-width:84rem;margin:0 auto}
nav{position:sticky;top:0;align-self:start;height:100vh;overflow-y:auto;padding:1.75rem 1.25rem;border-right:1px solid var(--line);font-size:.92rem}
nav strong{display:block;margin:1.25rem 0 .25rem;font-size:.78rem;color:var(--soft);text-transform:uppercase;letter-spacing:.05em}
nav a{display:block;padding:.2rem 0;color:var(--text);text-decoration:none}
nav a:hover{text-decoration:underline}
main{padding:2rem 2.5rem 6rem;min-width:0}
h1{font-size:2rem;line-height:1.2;margin:0 0 .25rem}
h2{font-size:1.45rem;margin:2.75rem 0 .5rem;padding-top:1.25rem;border-top:1px solid var(--line)}
h3{font-size:1.15rem;margin:2.75rem 0 .25rem}
h4{font-size:.95rem;margin:1.5rem 0 .5rem}
p{margin:.6rem 0;max-width:46rem}
a{color:var(--link)}
.soft{color:var(--soft)}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.86em}
code{background:var(--panel);border-radius:4px;padding:.08em .3em;overflow-wrap:anywhere}
pre{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:.85rem 1rem;overflow-x:auto;line-height:1.45;margin:.5rem 0}
pre code{background:none;padding:0;font-size:.82rem;overflow-wrap:normal}
.route{display:flex;flex-wrap:wrap;gap:.6rem;align-items:baseline;margin:.25rem 0 .5rem}
.route code{background:none;padding:0;font-size:.95rem}
.method{font:600 .8rem ui-monospace,Menlo,Consolas,monospace}
.GET{color:var(--get)}.POST,.PATCH{color:var(--post)}.DELETE{color:var(--delete)}
.table{overflow-x:auto;margin:.5rem 0}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:.45rem .9rem .45rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600;color:var(--soft);font-size:.82rem}
td:first-child{white-space:nowrap}
td.deep{white-space:normal}
.kind{color:var(--soft);font-size:.86rem;overflow-wrap:anywhere}
.must{color:var(--delete);font-size:.8rem}
details{border:1px solid var(--line);border-radius:8px;margin:.5rem 0;padding:0 1rem}
summary{cursor:pointer;padding:.55rem 0;font-weight:600;font-size:.92rem}
details[open]{padding-bottom:.75rem}
@media(max-width:60rem){.frame{display:block}nav{position:static;height:auto;border:0;border-bottom:1px solid var(--line);padding:1rem 1.1rem;columns:2}nav strong{margin-top:.6rem}main{padding:1.25rem 1.1rem 4rem}h1{font-size:1.6rem}}
@media(max-width:40rem){.fields thead{display:none}.fields tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--line)}.fields td{display:block;border:0;padding:.08rem 0}}
`;
