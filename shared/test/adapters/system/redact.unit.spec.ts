import { expect } from 'chai';
import { EngineUnavailable } from '../../../src/ports/errors.js';
import { redact } from '../../../src/adapters/system/redact.js';

describe('a log entry', () => {
  it('has no field whose name indicates a secret', () => {
    const fields = {
      authorization: 'x',
      accessToken: 'x',
      signingKey: 'x',
      password: 'x',
      apiKey: 'x',
      secretHash: 'x',
    };
    for (const [name, value] of Object.entries(redact({ deep: { list: [fields] } }) as object))
      expect(JSON.stringify({ [name]: value as unknown })).to.not.include('"x"');
    expect(redact({ room: 'r', tokens: 3 })).to.eql({ room: 'r', tokens: 3 });
  });

  it('has neither the headers of a request nor its cookies', () => {
    const fields = {
      ...{ headers: { 'x-key': 'x' }, requestHeaders: [['x-key', 'x']], rawHeaders: ['x'] },
      ...{ cookie: 'x', Cookies: 'x', 'set-cookie': ['x'] },
    };
    const redacted = redact({ request: fields });
    expect(redacted).to.eql({
      request: Object.fromEntries(Object.keys(fields).map((name) => [name, '[redacted]'])),
    });
  });

  it('has no credential within a text, nor in an error', () => {
    const token = `at_live_0123abcd.${'S'.repeat(43)}`;
    expect(redact(`auth with ${token} failed`)).to.equal('auth with at_live_0123abcd.[redacted] failed');
    expect(redact('Bearer abc.def')).to.equal('[redacted]');
    const error = new Error(`bad ${token}`, { cause: new Error(`eyJhbGciOi.eyJzdWIi.sig`) });
    expect(JSON.stringify(redact({ error })))
      .to.not.include('SSS')
      .and.not.include('eyJzdWIi');
  });

  it('has the reason of an engine that is away, and no stack', () => {
    const error = new EngineUnavailable('event log', {
      cause: new Error('failed', { cause: new Error('refused') }),
    });
    const told = { name: 'EngineUnavailable', message: 'The event log cannot be reached', reason: 'refused' };
    expect(redact({ error })).to.eql({ error: told });
  });

  it('does not follow circles or print bytes', () => {
    const circle: Record<string, unknown> = { bytes: new Uint8Array(3), big: 5n };
    circle['self'] = circle;
    expect(JSON.stringify(redact(circle)))
      .to.include('[…]')
      .and.include('"5"');
  });
});
