// Makes `dist/page`, which command-api serves at `/console`: everything that the compiled sources import, in files by page.
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { build } from 'esbuild';

process.chdir(import.meta.dirname);
const made = 'dist/.bundled.json';

const changedAt = async (path) => (await stat(path)).mtimeMs;

/** Whether nothing that the last bundle was made of has changed since. */
const isCurrent = async () => {
  try {
    const [{ inputs }, madeAt] = [JSON.parse(await readFile(made, 'utf8')), await changedAt(made)];
    return (await Promise.all(inputs.map(changedAt))).every((at) => at < madeAt);
  } catch {
    // There is none, or one of its sources is gone.
    return false;
  }
};

const bundle = async () => {
  // Files of an earlier build have other names.
  await rm('dist/page', { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: import.meta.dirname,
    entryPoints: { console: 'dist/src/main.js', styles: 'src/styles/console.css' },
    outdir: 'dist/page',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    // A page is loaded when somebody opens it.
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
    define: { 'process.env.NODE_ENV': '"production"' },
    minify: true,
    metafile: true,
    logLevel: 'warning',
  });
  const outputOf = (source) => {
    const [path] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source);
    return `/console/assets/${basename(path)}`;
  };
  const template = await readFile('index.html', 'utf8');
  const page = template
    .replace('%styles%', outputOf('src/styles/console.css'))
    .replace('%script%', outputOf('dist/src/main.js'));
  await writeFile('dist/page/index.html', page);
  const inputs = [...Object.keys(metafile.inputs), 'index.html', 'bundle.mjs'];
  await writeFile(made, JSON.stringify({ inputs }));
};

if (!(await isCurrent())) await bundle();
