import { expect } from 'chai';
import { bodyMaker, centrifugoBodyMaker } from '../../src/generator/publishWays.js';

interface Message {
  readonly topic: string;
  readonly data: string;
  readonly id?: string;
}

describe('the bodies of publishes over HTTP', () => {
  it('are one message, or so many of them', () => {
    const message = { topic: 'a/b/c', data: '.'.repeat(128) };
    expect(JSON.parse(bodyMaker('a/b/c', false, 1)())).to.deep.equal(message);
    expect(JSON.parse(bodyMaker('a/b/c', false, 2)())).to.deep.equal({ messages: [message, message] });
  });

  it('are commands for Centrifugo, each with an id where it is to have one', () => {
    const message = { channel: 'load', data: '.'.repeat(128) };
    expect(JSON.parse(centrifugoBodyMaker('load', false, 1)())).to.deep.equal(message);
    const { commands } = JSON.parse(centrifugoBodyMaker('load', true, 2)()) as {
      readonly commands: readonly { readonly publish: Readonly<Record<string, string>> }[];
    };
    const ids = commands.map(({ publish: { idempotency_key: id = '', ...rest } }) => {
      expect(rest).to.deep.equal(message);
      return id;
    });
    expect(new Set(ids).size).to.equal(2);
  });

  it('have an id of its own for each message, all equally long', () => {
    const body = bodyMaker('a/b/c', true, 100);
    const ids = [body(), body()]
      .flatMap((text) => (JSON.parse(text) as { messages: readonly Message[] }).messages)
      .map(({ id = '' }) => id);
    expect(new Set(ids).size).to.equal(200);
    expect(new Set(ids.map((id) => id.length)).size).to.equal(1);
  });
});
