import { expect } from 'chai';
import { origin } from '../support/page.js';
import { createProjectAccess } from '../../src/session/projectAccess.js';
import { session, signIn } from '../../src/session/sessionStore.js';

const project = { organizationId: 'org', projectId: 'project' };

/** Answers as the service does, with another key each time. */
const answering = (answer: (attempt: number) => { status: number; body: object }) => {
  const asked: Request[] = [];
  globalThis.fetch = async (request) => {
    asked.push(request as Request);
    const { status, body } = answer(asked.length);
    return Response.json(body, { status });
  };
  return asked;
};

const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();

const accessOf = (attempt: number, minutes = 60) => ({
  status: 201,
  body: { apiKey: `key ${attempt}`, token: `token ${attempt}`, expiresAt: inMinutes(minutes) },
});

describe('access to a project', () => {
  const { fetch: own } = globalThis;
  afterEach(() => (globalThis.fetch = own));

  it('is made once, however many ask at the same time', async () => {
    const asked = answering((attempt) => accessOf(attempt));
    const { credential } = createProjectAccess('session', project);
    const keys = await Promise.all([credential.current(), credential.current()]);
    expect(keys).to.eql(['key 1', 'key 1']);
    expect(await credential.current()).to.equal('key 1');
    expect(asked.map(({ url, headers }) => [url, headers.get('authorization')])).to.eql([
      [`${origin}/v1/organizations/org/projects/project/console-access`, 'Bearer session'],
    ]);
  });

  it('is renewed before it ends', async () => {
    answering((attempt) => accessOf(attempt, 4));
    const { credential } = createProjectAccess('session', project);
    expect([await credential.current(), await credential.current()]).to.eql(['key 1', 'key 2']);
  });

  it('is renewed once when the service refuses a key, for all that had it', async () => {
    const asked = answering((attempt) => accessOf(attempt));
    const { credential } = createProjectAccess('session', project);
    const key = await credential.current();
    expect(await credential.refused(key)).to.equal('key 2');
    expect(await credential.refused(key)).to.equal('key 2');
    expect(asked).to.have.length(2);
  });

  it('is asked for again after a failure', async () => {
    const away = { status: 503, body: { message: 'Away' } };
    answering((attempt) => (attempt === 1 ? away : accessOf(attempt)));
    const { credential } = createProjectAccess('session', project);
    const refused = await Promise.resolve(credential.current()).catch(({ message }: Error) => message);
    expect(refused).to.equal('Away');
    expect(await credential.current()).to.equal('key 2');
  });

  it('ends the session where the service does not take it any more, but no later one', async () => {
    answering(() => ({ status: 401, body: { message: 'Unauthorized' } }));
    signIn('later');
    await Promise.resolve(createProjectAccess('earlier', project).credential.current()).catch(
      () => undefined,
    );
    expect(session.get()).to.eql({ kind: 'signedIn', token: 'later' });
    await Promise.resolve(createProjectAccess('later', project).credential.current()).catch(() => undefined);
    expect(session.get()).to.eql({ kind: 'signedOut', reason: 'expired' });
  });

  it('gives the socket a token of its own each time, of a scope where one is named', async () => {
    const asked = answering((attempt) => accessOf(attempt));
    const access = createProjectAccess('session', project);
    expect(await access.socketToken()).to.equal('token 1');
    expect(await access.socketToken('scope')).to.equal('token 2');
    expect(new URL(asked[1]?.url ?? '').search).to.equal('?scope=scope');
  });
});
