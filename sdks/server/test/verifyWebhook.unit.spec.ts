import { createHmac, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { mintWebhookSecret } from '@roomwire/shared/credentials/secretToken';
import { InvalidWebhook, verifyWebhook } from '../src/verifyWebhook.js';

const random = { bytes: (count: number) => randomBytes(count), uuid: () => '' };
const secret = mintWebhookSecret(random);
const other = mintWebhookSecret(random);
const body = '{"roomName":"Lobby","data":"grün"}';

/** As docs/WEBHOOKS.md says. */
const signatureOf = (key: string, id: string, timestamp: number, text: string): string => {
  const bytes = Buffer.from(key.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', bytes).update(`${id}.${timestamp}.${text}`).digest('base64')}`;
};

/** Unix time of the calls, in seconds. */
let now = 0;
const headers = (keys: readonly string[], at = now) => ({
  'Webhook-Id': 'call-1',
  'webhook-timestamp': String(at),
  'webhook-signature': keys.map((key) => signatureOf(key, 'call-1', at, body)).join(' '),
});

describe('[HOOK-SIGN-2] verifyWebhook', () => {
  beforeEach(() => {
    now = Math.floor(Date.now() / 1_000);
  });

  it('gives the call that any of the secrets has signed', () => {
    const at = new Date(now * 1_000);
    const call = { id: 'call-1', at, body: { roomName: 'Lobby', data: 'grün' } };
    expect(verifyWebhook(secret, headers([secret]), body)).to.eql(call);
    expect(verifyWebhook([other, secret], headers([secret]), Buffer.from(body))).to.eql(call);
    expect(verifyWebhook(secret, new Headers(headers([other, secret])), body)).to.eql(call);
  });

  const refused: readonly (readonly [what: string, verify: () => unknown])[] = [
    ['another secret', () => verifyWebhook(other, headers([secret]), body)],
    ['another body', () => verifyWebhook(secret, headers([secret]), `${body} `)],
    ['an old signature', () => verifyWebhook(secret, headers([secret], now - 600), body)],
    ['one of the future', () => verifyWebhook(secret, headers([secret], now + 600), body)],
    ['no signature', () => verifyWebhook(secret, {}, body)],
    ['no secret', () => verifyWebhook([], headers([secret]), body)],
    ['a secret that the environment lacks', () => verifyWebhook(undefined, headers([secret]), body)],
  ];
  for (const [what, verify] of refused)
    it(`refuses ${what}`, () => expect(verify).to.throw(InvalidWebhook, 'not genuine'));
});
