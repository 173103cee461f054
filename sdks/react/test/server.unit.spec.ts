import { expect } from 'chai';
import { createElement, type ReactElement } from 'react';
import { renderToString } from 'react-dom/server';
import {
  RoomwireProvider,
  useConnectionState,
  useMessages,
  useOccupancy,
  usePresence,
  useTopic,
} from '../src/index.js';
import { ScriptedClient } from './scriptedClient.js';

const Page = (): ReactElement => {
  const { name } = useConnectionState();
  const { messages } = useMessages('a/b/c', { rewind: 5 });
  const { members } = usePresence('lobby');
  const { present = 'unknown' } = useOccupancy('lobby');
  const { status } = useTopic(undefined, () => undefined);
  return createElement('p', null, [name, messages.length, members.length, present, status].join());
};

describe('a page that is rendered on a server', () => {
  it('is as before any message, and subscribes to nothing', () => {
    const scripted = new ScriptedClient();
    const page = createElement(RoomwireProvider, { client: scripted.client }, createElement(Page));
    expect(renderToString(page)).to.equal('<p>connecting,0,0,unknown,idle</p>');
    expect(scripted.subscriptions).to.eql([]);
  });

  it('says that a provider is missing', () => {
    expect(() => renderToString(createElement(Page))).to.throw('<RoomwireProvider>');
  });
});
