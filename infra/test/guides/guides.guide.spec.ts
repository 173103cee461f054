import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { startProgram, stop, type RunningService } from '../support/program.js';
import { blocksOf, Guide, guidesFolder, root, type Done } from './guide.js';
import { outputOf, startIn, type Started } from './started.js';

const python = join(root, 'sdks', 'python');

const isInstalled = (command: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)));

const nameOf = async (workspace: string): Promise<string> =>
  (JSON.parse(await readFile(join(root, workspace, 'package.json'), 'utf8')) as { readonly name: string })
    .name;

/** Continuous integration installs all of them. */
const needs = (context: Mocha.Context, ...commands: readonly string[]): void => {
  if (!commands.every(isInstalled)) context.skip();
};

describe('the guides', function () {
  this.timeout(180_000);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: RunningService;
  let children: ChildProcess[];

  /** A reader who has started a service and logged in. */
  const open = async (name: string, settings: Readonly<Record<string, string>> = {}): Promise<Guide> => {
    service = await startProgram(join(folder.path, 'data'), settings);
    const addresses = { ROOMWIRE_URL: service.baseUrl, ROOMWIRE_GATEWAY: service.socketUrl };
    const guide = await Guide.open(name, folder.path, addresses);
    outputOf(await guide.run('npx', 'roomwire', 'login'));
    return guide;
  };
  const started = (guide: Guide, ...command: readonly [file: string, ...args: string[]]): Started => {
    const running = startIn(guide, ...command);
    children.push(running.child);
    return running;
  };

  beforeEach(async () => {
    children = [];
    folder = await temporaryFolder();
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    if (service) await stop(service);
    await folder.remove();
  });

  it('are tested, each block of each', async () => {
    const names = (await readdir(guidesFolder)).filter((name) => name.endsWith('.md'));
    const withCode = [];
    for (const name of names) {
      const blocks = blocksOf(await readFile(join(guidesFolder, name), 'utf8'));
      expect(
        blocks.filter(({ title }) => title === ''),
        name,
      ).to.eql([]);
      if (blocks.length > 0) withCode.push(name);
    }
    expect(withCode.sort()).to.eql([
      'README.md',
      'build-a-chat.md',
      'publish-from-a-backend.md',
      'receive-webhooks.md',
      'send-later.md',
      'sign-tokens.md',
      'who-is-here.md',
      'why-did-it-not-arrive.md',
      'workers.md',
    ]);
  });

  it('begin with the packages, and with a service that the command line and programs find', async () => {
    const guide = await open('README.md');
    const [, packages = ''] = /roomwire-\{([a-z,]+)\}/.exec(guide.take('install.sh')) ?? [];
    const released = ['infra', 'sdk', 'sdks/react', 'sdks/server'].map(nameOf);
    expect(packages.split(',').map((name) => `@roomwire/${name}`)).to.eql(await Promise.all(released));
    const atItsPort = guide.take('login.sh').replaceAll('127.0.0.1:8080', new URL(service.baseUrl).host);
    const login = await guide.run('bash', '-c', `${atItsPort}echo "$ROOMWIRE_URL $ROOMWIRE_GATEWAY"`);
    expect(outputOf(login)).to.match(new RegExp(`^Stored .*\n${service.baseUrl} ${service.socketUrl}$`));
    expect(guide.unused).to.eql([]);
  });

  it('sign tokens in Node, Python, PHP and Go that a gateway accepts', async function () {
    needs(this, 'python3', 'php', 'go');
    const guide = await open('sign-tokens.md');
    await guide.shell('key.sh');
    await guide.shell('external-key.sh');
    outputOf(await guide.run('python3', '-m', 'venv', 'venv'));
    outputOf(await guide.run('venv/bin/pip', 'install', '--quiet', 'pyjwt'));
    outputOf(await guide.run('go', 'mod', 'init', 'example.com/token'));
    for (const title of ['token.mjs', 'external.mjs', 'token.py', 'token.php', 'token.go'])
      await guide.write(title);
    outputOf(await guide.run('go', 'get', 'github.com/golang-jwt/jwt/v5@v5.3.0'));
    const tokens = [
      await guide.run(process.execPath, 'token.mjs'),
      await guide.run(process.execPath, 'external.mjs'),
      await guide.run('venv/bin/python', 'token.py'),
      await guide.run('php', 'token.php'),
      await guide.run('go', 'run', 'token.go'),
    ].map(outputOf);
    const check = guide.take('check.sh');
    for (const token of tokens) {
      guide.set({ TOKEN: token });
      expect(outputOf(await guide.run('bash', '-c', check))).to.include('The gateway accepts it');
    }
    // A backend that gives the token to whoever asks stands for one with a sign-in.
    const { actorTokenId } = JSON.parse(await readFile(join(folder.path, 'ann.json'), 'utf8'));
    guide.set({ TOKEN_URL: `data:text/plain,${tokens[0] ?? ''}` });
    await guide.write('client.mjs');
    expect(outputOf(await guide.run(process.execPath, 'client.mjs'))).to.equal(actorTokenId);
    expect(guide.unused).to.eql([]);
  });

  it('tell why a message did not arrive, of one actor and of all', async () => {
    const guide = await open('why-did-it-not-arrive.md');
    await guide.shell('prepare.sh');
    await guide.write('listen.mjs');
    const { lines } = started(guide, 'listen.mjs');
    await eventually(() => lines.includes('ready'), { withinMs: 30_000 });
    await guide.shell('publish.sh');
    await eventually(() => lines.includes('Ann got two chairs'), { withinMs: 30_000 });
    expect(await guide.shell('ben.sh')).to.match(
      /✖ ben \(.*\): filtered\n +It was subscribed with the filters urgent; the message has only eu\./,
    );
    const everybody = await guide.shell('everybody.sh');
    expect(everybody).to.match(/✖ cleo \(.*\): not_connected\n/);
    expect(everybody).to.match(/✔ ann \(.*\): delivered\n/);
    expect(guide.unused).to.eql([]);
  });

  it('publish from Node, Python and a shell, each message once', async function () {
    needs(this, 'python3', 'curl');
    const guide = await open('publish-from-a-backend.md');
    await guide.shell('prepare.sh');
    await guide.write('publish.mjs');
    await guide.write('publish.py');
    const node = (): Promise<Done> => guide.run(process.execPath, 'publish.mjs');
    expect(outputOf(await node())).to.equal('order-4711 is new\npublished\nunknown_topic');
    expect(outputOf(await node())).to.include('order-4711 was there before');
    outputOf(await guide.run('python3', '-m', 'venv', 'venv'));
    outputOf(await guide.run('venv/bin/pip', 'install', '--quiet', python));
    expect(outputOf(await guide.run('venv/bin/python', 'publish.py'))).to.equal('order-4713');
    expect(JSON.parse(await guide.shell('publish.sh'))).to.include({ id: 'order-4714' });
    expect(guide.unused).to.eql([]);
  });

  it('share jobs among workers, of which one is killed, and put aside what none can do', async () => {
    const guide = await open('workers.md');
    await guide.shell('prepare.sh');
    await guide.write('worker.mjs');
    await guide.write('give.mjs');
    expect(outputOf(await guide.run(process.execPath, 'give.mjs'))).to.equal(
      'thumbnails has 21 jobs and 0 members',
    );
    const workers = [1, 2, 3].map(() => started(guide, 'worker.mjs'));
    await eventually(() => workers.some(({ lines }) => lines.length > 2), { withinMs: 60_000 });
    workers[0]?.child.kill('SIGKILL');
    const said = (start: string): string[] =>
      workers.flatMap(({ lines }) => lines.filter((line) => line.startsWith(start)));
    const done = (): Set<string | undefined> => new Set(said('done').map((line) => line.split(' ')[1]));
    await eventually(() => done().size === 20, { withinMs: 60_000 });
    const dead = async (): Promise<string> =>
      outputOf(await guide.run('npx', 'roomwire', 'dead-letters', 'list', '--kind', 'job', '--json'));
    await eventually(async () => (await dead()).includes('"group": "thumbnails"'), { withinMs: 60_000 });
    expect(said('failed This is no image')).to.not.eql([]);
    expect(guide.unused).to.eql([]);
  });

  it('see who is in a room, in clients and from a backend, and by webhook', async function () {
    needs(this, 'curl');
    const guide = await open('who-is-here.md', { ROOMWIRE_WEBHOOK_ALLOW_PRIVATE: 'true' });
    await guide.shell('prepare.sh');
    await guide.shell('secret.sh');
    for (const title of ['guest.mjs', 'door.mjs', 'backend.mjs', 'events.mjs']) await guide.write(title);
    const events = started(guide, 'events.mjs');
    await eventually(() => events.lines.includes('ready'), { withinMs: 30_000 });
    const guest = (name: string) => {
      const token = guide.get(name.toUpperCase());
      return started(guide, 'guest.mjs', name, token);
    };
    const door = started(guide, 'door.mjs');
    const ann = guest('Ann');
    await eventually(() => ann.lines.includes('Ann is in'), { withinMs: 30_000 });
    const ben = guest('Ben');
    await eventually(() => ben.lines.includes('Ben is in') && ann.lines.includes('Ann sees Ann Ben'), {
      withinMs: 30_000,
    });
    await eventually(() => door.lines.at(-1) === '2 in the bar', { withinMs: 30_000 });
    const seen = async (): Promise<string> => outputOf(await guide.run(process.execPath, 'backend.mjs'));
    expect(await seen()).to.equal('bar 2\nhall 2\nAnn Ben in the hall');
    ben.child.kill('SIGTERM');
    await eventually(() => ann.lines.at(-1) === 'Ann sees Ann', { withinMs: 30_000 });
    await eventually(() => ben.lines.includes('Ben has left the bar'), { withinMs: 30_000 });
    expect(await seen()).to.equal('bar 1\nhall 2\nAnn Ben in the hall');
    const told = (room: string): string[] => events.lines.filter((line) => line.startsWith(`${room} `));
    await eventually(() => told('bar').length === 4 && told('hall').length === 3, { withinMs: 30_000 });
    expect(told('bar')).to.eql(['bar 1 occupied ', 'bar 2 joined Ann', 'bar 3 joined Ben', 'bar 4 left Ben']);
    expect(told('hall')).to.eql(['hall 1 occupied ', 'hall 2 joined Ann', 'hall 3 joined Ben']);
    expect(guide.unused).to.eql([]);
  });

  it('send later, from a client and a backend, and cancel', async () => {
    const guide = await open('send-later.md');
    await guide.shell('prepare.sh');
    for (const title of ['desk.mjs', 'remind.mjs']) await guide.write(title);
    const desk = started(guide, 'desk.mjs');
    await eventually(() => desk.lines.includes('ready'), { withinMs: 30_000 });
    const reminded = outputOf(await guide.run(process.execPath, 'remind.mjs')).split('\n');
    expect(reminded.filter((line) => line.startsWith('waits lunch-today'))).to.have.length(1);
    expect(reminded.at(-1)).to.equal('no lunch today');
    await eventually(() => desk.lines.length === 3, { withinMs: 30_000 });
    expect(desk.lines).to.have.members(['ready', 'Tea', 'Stand up']);
    expect(guide.unused).to.eql([]);
  });

  it('receive webhooks, and refuse calls of others', async function () {
    needs(this, 'curl');
    const guide = await open('receive-webhooks.md', { ROOMWIRE_WEBHOOK_ALLOW_PRIVATE: 'true' });
    await guide.shell('secret.sh');
    await guide.write('endpoint.mjs');
    const endpoint = started(guide, 'endpoint.mjs');
    await eventually(() => endpoint.lines.length === 1, { withinMs: 30_000 });
    const address = `http://127.0.0.1:${endpoint.lines[0]?.split(' ')[1]}/hook`;
    guide.set({ ENDPOINT: address });
    await guide.shell('call.sh');
    await eventually(() => endpoint.lines.includes('called orders {"number":4711}'), { withinMs: 30_000 });
    expect((await fetch(address, { method: 'POST', body: '{}' })).status).to.equal(400);
    expect(guide.unused).to.eql([]);
  });
});
