/** Forty pictures, three workers in trouble: ends when every picture has its thumbnail or is a dead letter. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connect } from '@roomwire/sdk';
import { Studio } from './studio.mjs';
import { picture } from './thumbnail.mjs';

const { ROOMWIRE_API_URL: apiUrl = 'http://127.0.0.1:8080', ROOMWIRE_DATA_DIR: dataDir = 'data' } =
  process.env;
const lookEveryMs = 200;

const studio = await Studio.open(apiUrl, dataDir);
const out = await mkdtemp(join(tmpdir(), 'thumbnails-'));
const names = Array.from({ length: 40 }, (_, number) => `picture-${String(number).padStart(2, '0')}`);
const broken = [names[7], names[23]];

const publish = async (some) => {
  const { url, token, topic } = await studio.sessionOf('camera');
  const camera = connect({ url, token });
  await camera.ready();
  await Promise.all(some.map((name) => camera.publish(topic, picture(name, broken.includes(name)))));
  await camera.close();
};

/** A process of its own, ready to work; `onLine` gets what it says. */
const startWorker = async (manner, onLine) => {
  const env = {
    ...process.env,
    STUDIO_SESSION: JSON.stringify(await studio.sessionOf(manner)),
    STUDIO_OUT: out,
  };
  const program = fileURLToPath(new URL('worker.mjs', import.meta.url));
  const worker = spawn(process.execPath, [program, manner], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface(worker.stdout).on('line', (line) => {
    console.log(line);
    onLine?.(line, worker);
  });
  await once(lines, 'line');
  return worker;
};

const results = async () => {
  const made = (await readdir(out)).length;
  const dead = await studio.deadLetters();
  return { made, dead, left: await studio.depth() };
};

// The group keeps what is published before anybody works.
await publish(names.slice(0, 20));
console.log(`${await studio.depth()} pictures wait`);
const workers = await Promise.all([
  startWorker('hangs'),
  startWorker('throws'),
  // Without a word: what it has goes to the others at once.
  startWorker('killed', (line, worker) => line.includes('has made') && worker.kill('SIGKILL')),
]);
await publish(names.slice(20));
let state = await results();
while (state.left > 0 || state.made + state.dead.length < names.length) {
  await pause(lookEveryMs);
  state = await results();
}
for (const worker of workers) worker.kill();
console.log(`${state.made} thumbnails in ${out}, ${state.dead.length} dead letters`);
