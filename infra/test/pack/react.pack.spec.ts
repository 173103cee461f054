import { join } from 'node:path';
import { decode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { build } from 'esbuild';
import type { Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { browserPath } from '../support/browser.js';
import { openClient } from '../support/sdkClients.js';
import { startTestService, type TestService } from '../support/testService.js';
import { twoActors } from '../support/twoActors.js';
import { compilesIn, resolutions } from './compile.js';
import { openPage } from './page.js';
import { itIsAPackage, itsTypesAreRight } from './packageRules.js';
import { pack, patienceMs, projectWith, type Packed } from './packing.js';

const releases = [
  { react: '18.3.1', types: '18.3.31' },
  { react: '19.3.1', types: '19.3.0' },
];

/** A chat in strict mode, which mounts each component twice; two components share the list. */
const application = `
  import { StrictMode, useState } from 'react';
  import { createRoot } from 'react-dom/client';
  import { connect } from '@roomwire/sdk';
  import { RoomwireProvider, useConnectionState, useMessages, usePresence, useTopic } from '@roomwire/react';

  const { url, token, topic, news, room } = SETTINGS;
  const client = connect({ url, token });

  const Count = () => <output id="count">{useMessages(topic, { rewind: 2 }).messages.length}</output>;

  const Latest = () => {
    const [latest, setLatest] = useState('');
    const { status } = useTopic(news, ({ data }) => setLatest(data));
    return <p><output id="status">{status}</output><output id="latest">{latest}</output></p>;
  };

  const News = () => {
    const { messages, status } = useMessages(news);
    return <p><output id="status">{status}</output><output id="news">{messages.map(({ data }) => data)}</output></p>;
  };

  const Chat = () => {
    const { messages, hasEarlier, loadEarlier, publish } = useMessages(topic, { rewind: 2 });
    const [mood, setMood] = useState('here');
    const { members } = usePresence(room, { name: 'Ann', mood }, { keep: true });
    return (
      <main>
        <output id="state">{useConnectionState().name}</output>
        {mood === 'here' ? <Latest /> : <News />}
        <output id="members">{members.map(({ presence }) => presence.name).sort().join()}</output>
        <ol>{messages.map(({ data, meta }) => <li key={meta.id}>{data}</li>)}</ol>
        <button id="earlier" disabled={!hasEarlier} onClick={() => loadEarlier(3)}>earlier</button>
        <button id="away" onClick={() => setMood('away')}>away</button>
        <button id="send" onClick={() => publish('mine')}>send</button>
        <Count />
      </main>
    );
  };

  createRoot(document.getElementById('root')).render(
    <StrictMode><RoomwireProvider client={client}><Chat /></RoomwireProvider></StrictMode>
  );
`;

describe('the packed hooks for React', function () {
  this.timeout(patienceMs);
  let folder: TemporaryFolder;
  let packed: Packed;
  let sdk: Packed;
  let service: TestService;
  let other: Client | undefined;

  before(async () => {
    folder = await temporaryFolder();
    packed = await pack('sdks/react', folder.path);
    sdk = await pack('sdk', folder.path);
    service = await startTestService();
  });
  afterEach(() => other?.close());
  after(async () => {
    await service?.close();
    await folder.remove();
  });

  itIsAPackage(() => packed);
  itsTypesAreRight(() => packed);

  for (const { react, types } of releases)
    describe(`with React ${react}`, () => {
      let project: string;

      before(async () => {
        const libraries = [`react@${react}`, `react-dom@${react}`, `@types/react@${types}`];
        project = await projectWith(join(folder.path, react), sdk.path, packed.path, ...libraries);
      });

      for (const resolution of resolutions)
        it(`is compiled by TypeScript with ${resolution.name}`, async () => {
          const text = `
            import { useMessages, usePresence } from '@roomwire/react';
            export const useTexts = (topic: string): string[] =>
              useMessages(topic, { rewind: 20 }).messages.map(({ data }) => String(data));
            export const useCount = (): number => usePresence('lobby').members.length;
            // @ts-expect-error A topic is text.
            useMessages(1);
          `;
          expect(await compilesIn(project, resolution, text)).to.eql([]);
        });

      it('shows history, what comes, what is sent and who is there, by one subscription on the wire', async function () {
        if (browserPath === undefined) this.skip();
        const topicConfigs = { chat: { history: {} } };
        const actors = await twoActors(service.project, { topics: ['chat', 'news'], topicConfigs });
        const { topic } = actors;
        const room = topic.split('/').slice(0, 2).join('/');
        const news = `${room}/news`;
        other = await openClient(service.socketUrl, actors.sender);
        for (const text of ['1', '2', '3', '4']) await other.publish(topic, text);

        const settings = { url: service.socketUrl, token: actors.listener, topic, news, room };
        const { outputFiles } = await build({
          stdin: { contents: application, loader: 'jsx', resolveDir: project },
          ...{ bundle: true, write: false, format: 'esm', jsx: 'automatic', logLevel: 'warning' },
          define: { 'process.env.NODE_ENV': '"development"', SETTINGS: JSON.stringify(settings) },
        });
        const { page, errors, sent, close } = await openPage({
          '/': '<!doctype html><div id="root"></div><script type="module" src="/app.js"></script>',
          '/app.js': outputFiles[0]?.text ?? '',
        });
        try {
          const shows = (selector: string, text: string): Promise<unknown> =>
            page.waitForFunction(
              `document.querySelector(${JSON.stringify(selector)})?.textContent === ${JSON.stringify(text)}`,
            );
          await shows('#state', 'connected');
          await shows('ol', '34');
          await shows('#members', 'Ann');
          await shows('#status', 'subscribed');
          const seen = other.room(room);
          const leaves: unknown[] = [];
          seen.on('leave', (change) => leaves.push(change));
          await seen.enter({ name: 'Bob' });
          await shows('#members', 'Ann,Bob');
          await other.publish(news, 'hot');
          await shows('#latest', 'hot');
          await page.click('#away');
          await eventually(() => seen.members.some(({ presence }) => presence.mood === 'away'));
          await shows('#members', 'Ann,Bob');
          await shows('#status', 'subscribed');
          await other.publish(news, 'later');
          await shows('#news', 'later');
          await other.publish(topic, '5');
          await shows('ol', '345');
          await page.click('#send');
          await shows('ol', '345mine');
          await page.click('#earlier');
          await shows('ol', '12345mine');
          await shows('#count', '6');
          await page.waitForSelector('#earlier:disabled');

          const frames = sent.map(
            (frame) => decode(frame) as { readonly type: string; readonly topic?: string },
          );
          const count = (type: string, about?: string): number =>
            frames.filter((frame) => frame.type === type && (about === undefined || frame.topic === about))
              .length;
          expect(count('auth')).to.equal(1);
          expect(count('subscribe', topic)).to.equal(1);
          // By one component, and then by another one that it hands over to.
          expect(count('subscribe', news)).to.equal(2);
          expect(count('unsubscribe')).to.equal(1);
          expect(count('presence')).to.equal(2);
          expect(leaves).to.eql([]);
          expect(errors).to.eql([]);
        } finally {
          await close();
        }
      });
    });
});
