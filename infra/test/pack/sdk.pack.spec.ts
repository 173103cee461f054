import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { build } from 'esbuild';
import ts from 'typescript';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { browserPath } from '../support/browser.js';
import { startTestService, type TestService } from '../support/testService.js';
import { twoActors, type TwoActors } from '../support/twoActors.js';
import { compilesIn, resolutions } from './compile.js';
import { openPage } from './page.js';
import { itIsAPackage, itsTypesAreRight } from './packageRules.js';
import { pack, patienceMs, projectWith, root, run, type Packed } from './packing.js';

/** In 1,000 bytes, of the file that a page loads when it loads nothing else. */
const mostKilobytes = 16;

/** Two clients, and a message from one to the other; prints what came. */
const conversation = `
  const [url, topic, listener, sender] = JSON.parse(process.env.CONVERSATION);
  const talk = async ({ connect, RoomwireError }) => {
    const [to, from] = [listener, sender].map((token) => connect({ url, token }));
    const lines = await to.stream(topic);
    await from.ready();
    await from.publish(topic, { text: 'hello' });
    for await (const { data } of lines) {
      console.log(data.text);
      break;
    }
    const refused = await from.publish('no/such/topic', 1).catch((error) => error);
    console.log(refused instanceof RoomwireError, refused.error);
    await Promise.all([to.close(), from.close()]);
  };
`;
const said = 'hello\ntrue unknown_topic\n';

const programs = {
  'main.mjs': `import * as sdk from '@roomwire/sdk';${conversation} await talk(sdk);`,
  'main.cjs': `const sdk = require('@roomwire/sdk');${conversation} void talk(sdk);`,
};

describe('the packed client', function () {
  this.timeout(patienceMs);
  let folder: TemporaryFolder;
  let packed: Packed;
  let project: string;
  let service: TestService;
  let actors: TwoActors;

  before(async () => {
    folder = await temporaryFolder();
    packed = await pack('sdk', folder.path);
    project = await projectWith(join(folder.path, 'project'), packed.path);
    for (const [name, text] of Object.entries(programs)) await writeFile(join(project, name), text);
    service = await startTestService();
    actors = await twoActors(service.project);
  });
  after(async () => {
    await service?.close();
    await folder.remove();
  });

  const environment = () => {
    const { topic, listener, sender } = actors;
    return { ...process.env, CONVERSATION: JSON.stringify([service.socketUrl, topic, listener, sender]) };
  };

  itIsAPackage(() => packed);
  itsTypesAreRight(() => packed);

  it(`is one file of at most ${mostKilobytes} kB for a page`, async () => {
    const file = await readFile(join(project, 'node_modules/@roomwire/sdk/dist/roomwire.min.js'));
    expect(gzipSync(file, { level: 9 }).length).to.be.at.most(mostKilobytes * 1_000);
    expect(ts.preProcessFile(file.toString(), true, true).importedFiles).to.eql([]);
  });

  for (const name of Object.keys(programs)) {
    it(`is used by ${name}, on this Node`, async () => {
      const { stdout } = await run(process.execPath, [name], { cwd: project, env: environment() });
      expect(stdout).to.equal(said);
    });

    it(`is used by ${name}, on the newest LTS`, async () => {
      const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
        readonly scripts: { readonly lts: string };
      };
      const [node = ''] = /--package=node@[\d.]+/.exec(scripts.lts) ?? [];
      const args = ['--yes', '--prefer-offline', node, '--', 'node', name];
      const { stdout } = await run('npx', args, { cwd: project, env: environment() });
      expect(stdout).to.equal(said);
    });
  }

  for (const [runtime, ...args] of [
    ['deno', 'run', '--allow-all', '--node-modules-dir=manual'],
    ['bun', 'run'],
  ] as const)
    it(`is used in ${runtime}, where there is one`, async function () {
      const version = await run(runtime, ['--version']).catch(() => undefined);
      if (version === undefined) this.skip();
      const { stdout } = await run(runtime, [...args, 'main.mjs'], { cwd: project, env: environment() });
      expect(stdout).to.equal(said);
    });

  for (const resolution of resolutions)
    it(`is compiled by TypeScript with ${resolution.name}`, async () => {
      const text = `
        import { connect, RoomwireError, type Client, type Message } from '@roomwire/sdk';
        export const client: Client = connect({ url: 'ws://127.0.0.1/ws', token: async () => 'token' });
        export const last = async (): Promise<Message | undefined> => {
          for await (const message of await client.stream('a/b/c', { rewind: 1 })) return message;
          return undefined;
        };
        export const isLost = (error: unknown): boolean =>
          error instanceof RoomwireError && error.error === 'connection_lost';
        // @ts-expect-error An address is text.
        connect({ url: 1, token: 'token' });
      `;
      expect(await compilesIn(project, resolution, text)).to.eql([]);
    });

  for (const [name, text] of [
    ['ESM', `export { connect } from '@roomwire/sdk';`],
    ['CommonJS', `exports.connect = require('@roomwire/sdk').connect;`],
  ] as const)
    it(`is bundled for browsers from ${name} without ws and without a module of Node`, async () => {
      const { metafile } = await build({
        stdin: { contents: text, resolveDir: project },
        ...{ bundle: true, write: false, metafile: true, platform: 'browser' },
      });
      const foreign = Object.keys(metafile.inputs).filter((path) => !path.includes('@roomwire/sdk/'));
      expect(foreign).to.eql(['<stdin>']);
    });

  it('is used by a page without a bundler', async function () {
    if (browserPath === undefined) this.skip();
    const { topic, listener, sender } = actors;
    const file = join(project, 'node_modules/@roomwire/sdk/dist/roomwire.min.js');
    const page = await openPage({
      '/': `<!doctype html><script type="module">
        import { connect } from '/roomwire.js';
        const [to, from] = ${JSON.stringify([listener, sender])}.map((token) =>
          connect({ url: ${JSON.stringify(service.socketUrl)}, token }));
        await to.subscribe(${JSON.stringify(topic)}, ({ data }) => (document.title = data.text));
        await from.ready();
        await from.publish(${JSON.stringify(topic)}, { text: 'hello' });
      </script>`,
      '/roomwire.js': await readFile(file, 'utf8'),
    });
    try {
      await page.page.waitForFunction('document.title === "hello"');
      expect(page.errors).to.eql([]);
    } finally {
      await page.close();
    }
  });
});
