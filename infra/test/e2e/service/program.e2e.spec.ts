import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { connect } from '@roomwire/sdk';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { runRoomwire, startProgram, stop } from '../../support/program.js';
import { twoActors } from '../../support/twoActors.js';

describe('the program', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;

  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(() => folder.remove());

  it('prints no secret where the output is not a terminal, and stores them readable by the owner only', async () => {
    const data = join(folder.path, 'data');
    const first = await startProgram(data);
    const { apiKey, sessionToken } = first.credentials;
    expect(first.program.stdout())
      .to.include(join(data, 'credentials.json'))
      .and.include('npx roomwire listen');
    for (const output of [first.program.stdout(), first.program.stderr()])
      expect(output).to.not.include(apiKey.split('.')[1]).and.not.include(sessionToken);
    const { exp, iat } = decodeJwt(sessionToken);
    expect(Number(exp) - Number(iat)).to.equal(12 * 3_600);
    for (const file of ['credentials.json', 'secrets.json'])
      expect((await stat(join(data, file))).mode & 0o777, file).to.equal(0o600);
    expect((await stat(data)).mode & 0o777).to.equal(0o700);
    expect((await stop(first)).code).to.equal(0);

    const second = await startProgram(data);
    expect(second.credentials).to.eql(first.credentials);
    expect(second.program.stdout()).to.not.include('npx roomwire listen');
    expect((await second.project.get('/apps')).status).to.equal(200);
    expect((await stop(second)).code).to.equal(0);
  });

  it('survives a path that cannot be decoded, with and without credentials', async () => {
    const service = await startProgram(folder.path);
    for (const path of ['/apps/%', '/apps/%ff', '/%', '/organizations/%e0%a4/usage'])
      for (const headers of [{}, { authorization: 'Bearer nobody' }])
        expect((await fetch(`${service.baseUrl}/v1${path}`, { headers })).status, path).to.equal(400);
    expect((await service.project.get('/apps')).status).to.equal(200);
    expect((await stop(service)).code).to.equal(0);
  });

  it('carries a message from `publish` to `listen`', async () => {
    const service = await startProgram(folder.path);
    const { topic, listener, sender } = await twoActors(service.project);
    const environment = { ROOMWIRE_URL: service.socketUrl };
    const listening = runRoomwire(['listen', topic], { ...environment, ROOMWIRE_TOKEN: listener });
    await listening.printed(/Listening on/);
    const publishing = runRoomwire(['publish', topic, '{"text":"hello"}', '--token', sender], environment);
    expect((await publishing.ended).code, publishing.stderr()).to.equal(0);
    expect(publishing.stdout()).to.equal('published\n');
    await listening.printed(/\n/);
    expect(JSON.parse(listening.stdout())).to.eql({ topic, data: { text: 'hello' } });
    listening.process.kill('SIGINT');
    expect((await listening.ended).code).to.equal(0);
    await stop(service);
  });

  it('[WS-META-2] [WS-OWN-1] shows the meta of messages, and those of the same actor, when it is told to', async () => {
    const service = await startProgram(folder.path);
    const { topic, sender } = await twoActors(service.project);
    const environment = { ROOMWIRE_URL: service.socketUrl, ROOMWIRE_TOKEN: sender };
    const listening = runRoomwire(['listen', topic, '--meta', '--own'], environment);
    await listening.printed(/Listening on/);
    expect((await runRoomwire(['publish', topic, '1'], environment).ended).code).to.equal(0);
    await listening.printed(/\n\{|^\{.*\n/);
    const { meta, ...message } = JSON.parse(listening.stdout());
    expect(message).to.eql({ topic, data: 1 });
    expect(meta).to.have.all.keys('id', 'at', 'from');
    listening.process.kill('SIGINT');
    expect((await listening.ended).code).to.equal(0);
    await stop(service);
  });

  it('[HTTP-HIST-1] prints the history of a topic, by its address', async () => {
    const service = await startProgram(folder.path);
    const { topic } = await twoActors(service.project);
    const [appSlug = ''] = topic.split('/');
    const apps: readonly { appId: string; slug: string }[] = (await service.project.get('/apps')).body.data;
    const appId = apps.find(({ slug }) => slug === appSlug)?.appId ?? '';
    const topicConfigs = { [topic.split('/')[2] ?? '']: { history: {} } };
    await service.project.patch(`/apps/${appId}`, { topicConfigs });
    for (const data of [1, { two: 2 }]) await service.project.post('/publish', { topic, data });
    const print = async (...args: string[]) => {
      const program = runRoomwire(['history', topic, ...args], {
        ROOMWIRE_API_URL: service.baseUrl,
        ROOMWIRE_API_KEY: service.credentials.apiKey,
      });
      const { code } = await program.ended;
      const lines = program.stdout().trim().split('\n');
      return { code, data: lines.map((line) => (JSON.parse(line) as { data: unknown }).data), program };
    };
    const newest = await print();
    expect([newest.code, newest.data, newest.program.stderr()]).to.eql([0, [{ two: 2 }, 1], '']);
    const oldest = await print('--after', '', '--limit', '1');
    expect(oldest.data).to.eql([1]);
    expect(oldest.program.stderr()).to.match(/^There are more: --after \S+\n$/);
    await stop(service);
  });

  it('[WS-HIST-4] prints what a topic has kept before what comes, and goes on behind a position', async () => {
    const service = await startProgram(folder.path);
    const { topic, listener } = await twoActors(service.project, { topicConfigs: { chat: { history: {} } } });
    const environment = { ROOMWIRE_URL: service.socketUrl, ROOMWIRE_TOKEN: listener };
    const publish = async (data: string): Promise<void> => {
      expect((await service.project.post('/publish', { topic, data })).status).to.equal(200);
    };
    const listen = async (last: string, ...options: readonly string[]) => {
      const listening = runRoomwire(['listen', topic, ...options], environment);
      await listening.printed(/Listening on/);
      await publish(last);
      await listening.printed(new RegExp(`"${last}".*\\n`));
      listening.process.kill('SIGINT');
      expect((await listening.ended).code).to.equal(0);
      const lines = listening.stdout().trim().split('\n');
      return lines.map((line) => JSON.parse(line));
    };
    for (const text of ['one', 'two', 'three']) await publish(text);
    const [two, ...rest] = await listen('four', '--last', '2', '--meta');
    expect([two, ...rest].map(({ data }) => data)).to.eql(['two', 'three', 'four']);
    expect(two.meta).to.have.all.keys('id', 'at', 'from', 'position');
    const behind = await listen('five', '--after', two.meta.position);
    expect(behind).to.eql(['three', 'four', 'five'].map((data) => ({ topic, data })));
    const since = await listen('six', '--since', new Date(two.meta.at).toISOString());
    expect(since.map(({ data }) => data)).to.eql(['two', 'three', 'four', 'five', 'six']);
    await stop(service);
  });

  it('[WS-LATER-1] [HTTP-LATER-2] [HTTP-LATER-3] publishes for later, lists what waits, and cancels it', async () => {
    const service = await startProgram(folder.path);
    const { topic, sender } = await twoActors(service.project);
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const run = async (...args: string[]) => {
      const program = runRoomwire(args, {
        ...{ ROOMWIRE_URL: service.socketUrl, ROOMWIRE_API_URL: service.baseUrl, ROOMWIRE_TOKEN: sender },
        ROOMWIRE_API_KEY: service.credentials.apiKey,
      });
      const { code } = await program.ended;
      return { code, out: program.stdout(), error: program.stderr() };
    };
    const { code, out } = await run('publish', topic, '1', '--at', at);
    expect(code).to.equal(0);
    const [, scheduledId = ''] = /^scheduled as ([0-9a-f-]{36})\n$/.exec(out) ?? [];
    const listed = JSON.parse((await run('scheduled', 'list', '--json')).out);
    expect(listed).to.have.length(1);
    expect(listed[0]).to.include({ scheduledId, topic, deliverAt: at });
    expect((await run('scheduled', 'list', '--topic', topic)).out).to.include(scheduledId);
    expect((await run('scheduled', 'cancel', scheduledId)).out).to.equal(`cancelled ${scheduledId}\n`);
    const again = await run('scheduled', 'cancel', scheduledId);
    expect([again.code, again.error]).to.eql([1, `Scheduled publish ${scheduledId} not found\n`]);
    expect((await run('publish', topic, '1', '--at', 'soon')).code).to.equal(2);
    await stop(service);
  });

  it('explains in one line why a command fails', async () => {
    const service = await startProgram(folder.path);
    const { topic, sender } = await twoActors(service.project);
    const url = ['--url', service.socketUrl];
    const token = ['--token', sender];
    const ended = async (...args: string[]) => {
      const program = runRoomwire(args);
      const { code } = await program.ended;
      const lines = program.stderr().trim().split('\n');
      expect(lines, program.stderr()).to.have.length(1);
      return { code, line: lines[0] };
    };
    expect(await ended('publish', topic, 'hello', ...url, ...token)).to.include({ code: 2 });
    expect(await ended('publish', topic, '1', ...url)).to.eql({
      code: 2,
      line: 'Give an access token with --token or ROOMWIRE_TOKEN, or run roomwire login',
    });
    const denied = await ended('publish', topic, '1', ...url, '--token', 'at_live_0.x');
    expect(denied.code).to.equal(1);
    expect(denied.line).to.include('access_denied');
    const unknown = await ended('publish', 'no/such/topic', '1', ...url, ...token);
    expect(unknown.line).to.include('unknown_topic');
    expect((await ended('listen', 'no/such/topic', ...url, ...token)).line).to.include('unknown_topic');
    expect((await ended('publish', topic, '1', '--url', 'ws://127.0.0.1:1/ws', ...token)).code).to.equal(1);
    const key = ['--api-url', service.baseUrl, '--api-key', service.credentials.apiKey];
    expect(await ended('history', topic)).to.eql({
      code: 2,
      line: 'Give an API key with --api-key or ROOMWIRE_API_KEY, or run roomwire login',
    });
    expect((await ended('history', 'no/topic', ...key)).code).to.equal(2);
    expect(await ended('history', 'no/such/topic', ...key)).to.eql({
      code: 1,
      line: 'There is no app no in the project',
    });
    expect((await ended('history', topic, ...key)).line).to.include('History is not enabled for topic');
    await stop(service);
  });

  it('creates session tokens', async () => {
    const service = await startProgram(folder.path);
    const { organizationId } = service.credentials;
    const environment = { ROOMWIRE_DATA_DIR: folder.path };
    const mint = async (...args: string[]) => {
      const program = runRoomwire(['token', ...args], environment);
      return { code: (await program.ended).code, token: program.stdout().trim() };
    };
    const get = async (path: string, token: string) =>
      (await fetch(`${service.baseUrl}/v1${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
    const own = await mint('--org', organizationId, '--print');
    expect(await get(`/organizations/${organizationId}`, own.token)).to.equal(200);
    const other = await mint('--org', service.credentials.projectId, '--print');
    expect(await get(`/organizations/${organizationId}`, other.token)).to.equal(404);
    for (const bad of [[], ['--org', 'x'], ['--operator', '--hours', '1e999'], ['--nothing']])
      expect((await mint(...bad, '--print')).code, bad.join(' ')).to.equal(2);
    const viewer = (await mint('--org', organizationId, '--role', 'viewer', '--print')).token;
    expect(await get(`/organizations/${organizationId}`, viewer)).to.equal(200);
    expect(decodeJwt(viewer)['roles']).to.eql({ [organizationId]: 'viewer' });
    await stop(service);
  });

  it('prints a session token where the output is not a terminal only when told to, or writes it to a file', async () => {
    const service = await startProgram(folder.path);
    const mint = async (...args: string[]) => {
      const environment = { ROOMWIRE_DATA_DIR: folder.path };
      const program = runRoomwire(['token', '--operator', ...args], environment);
      return { code: (await program.ended).code, stdout: program.stdout(), stderr: program.stderr() };
    };
    const refused = await mint();
    expect(refused).to.include({ code: 2, stdout: '' });
    expect(refused.stderr).to.include('--print').and.include('--output <file>').and.not.include('eyJ');
    const file = join(folder.path, 'token');
    expect(await mint('--output', file)).to.eql({ code: 0, stdout: '', stderr: '' });
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    const authorization = `Bearer ${(await readFile(file, 'utf8')).trim()}`;
    const answer = await fetch(`${service.baseUrl}/v1/organizations`, { headers: { authorization } });
    expect(answer.status).to.equal(200);
    expect(await mint('--output', file)).to.include({ code: 1, stdout: '' });
    await stop(service);
  });

  it('prints a link that signs in to the console, as the operator or for an organization', async () => {
    const service = await startProgram(folder.path);
    const print = async (...args: string[]) => {
      const environment = { ROOMWIRE_DATA_DIR: folder.path, ROOMWIRE_URL: service.baseUrl };
      const program = runRoomwire(['console', ...args], environment);
      return { code: (await program.ended).code, stdout: program.stdout(), stderr: program.stderr() };
    };
    expect(await print()).to.include({ code: 2, stdout: '' });
    const { organizationId } = service.credentials;
    for (const [args, expected] of [
      [['--print', '--operator'], { isOperator: true }],
      [['--print', '--role', 'viewer', '--subject', 'ada'], { isOperator: false, principal: 'session:ada' }],
    ] as const) {
      const link = new URL((await print(...args)).stdout.trim());
      expect(link.href).to.match(new RegExp(`^${service.baseUrl}/console#code=`));
      const code = new URLSearchParams(link.hash.slice(1)).get('code');
      const signedIn = await fetch(`${service.baseUrl}/v1/console/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      });
      const { token } = (await signedIn.json()) as { readonly token: string };
      const own = await fetch(`${service.baseUrl}/v1/console/session`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const session = (await own.json()) as { readonly organizations: { organizationId: string }[] };
      expect(session).to.include(expected);
      expect(session.organizations.map((one) => one.organizationId)).to.deep.equal([organizationId]);
    }
    await stop(service);
  });

  it('watches webhook calls with a session that it mints where the data folder is', async () => {
    const service = await startProgram(folder.path);
    const environment = { ROOMWIRE_DATA_DIR: folder.path, ROOMWIRE_API_URL: service.baseUrl };
    const program = runRoomwire(['webhooks', 'tail'], environment);
    await program.printed(new RegExp(`Watching .+ ${service.credentials.organizationId}`));
    program.process.kill('SIGINT');
    expect((await program.ended).code).to.equal(0);
    await stop(service);
  });

  it('names each invalid setting in one line and exits with 2', async () => {
    const program = runRoomwire(['start'], {
      ROOMWIRE_DATA_DIR: folder.path,
      ROOMWIRE_PORT: '99999',
      ROOMWIRE_LOG_LEVEL: 'loud',
      ROOMWIRE_MASTER_KEY: 'short',
    });
    expect((await program.ended).code).to.equal(2);
    expect(program.stderr().trim().split('\n')).to.have.length(1);
    for (const name of ['ROOMWIRE_PORT', 'ROOMWIRE_LOG_LEVEL', 'ROOMWIRE_MASTER_KEY'])
      expect(program.stderr()).to.include(name);
    expect(program.stderr()).to.not.include('short');
  });

  it('explains in one line that a host or a folder cannot be used', async () => {
    for (const environment of [
      { ROOMWIRE_HOST: '999.1.1.1', ROOMWIRE_DATA_DIR: folder.path },
      { ROOMWIRE_HOST: '192.0.2.1', ROOMWIRE_DATA_DIR: folder.path },
      { ROOMWIRE_DATA_DIR: '/dev/null/x' },
      { ROOMWIRE_DATA_DIR: '/proc/x' },
    ]) {
      const program = runRoomwire(['start'], { ROOMWIRE_PORT: '0', ...environment });
      expect((await program.ended).code, program.stderr()).to.equal(2);
      expect(program.stderr().trim().split('\n'), program.stderr()).to.have.length(1);
    }
  });

  it('does not start with damaged secrets, nor creates new ones for a used folder', async () => {
    await stop(await startProgram(folder.path));
    const file = join(folder.path, 'secrets.json');
    for (const content of ['{}', '{"masterKey":"eA==","sessionSecret":""}', 'x']) {
      await writeFile(file, content);
      const program = runRoomwire(['start'], { ROOMWIRE_DATA_DIR: folder.path, ROOMWIRE_PORT: '0' });
      expect((await program.ended).code).to.equal(1);
      expect(program.stderr()).to.include(file);
    }
    await rm(file);
    const program = runRoomwire(['start'], { ROOMWIRE_DATA_DIR: folder.path, ROOMWIRE_PORT: '0' });
    expect((await program.ended).code).to.equal(1);
    expect(program.stderr()).to.include('restore it from a backup');
  });

  it('refuses a folder and a port that another process uses', async () => {
    const service = await startProgram(folder.path);
    const second = runRoomwire(['start'], { ROOMWIRE_DATA_DIR: folder.path, ROOMWIRE_PORT: '0' });
    expect((await second.ended).code).to.equal(1);
    expect(second.stderr().trim()).to.match(/^The data folder .+ is in use by process \d+$/);
    const other = await temporaryFolder();
    const port = new URL(service.baseUrl).port;
    const third = runRoomwire(['start'], { ROOMWIRE_DATA_DIR: other.path, ROOMWIRE_PORT: port });
    expect((await third.ended).code).to.equal(1);
    expect(third.stderr()).to.include(`Port ${port} of 127.0.0.1 is in use`);
    expect((await service.project.get('/apps')).status).to.equal(200);
    await stop(service);
    await other.remove();
  });

  it('completes an interrupted first start with the same credentials', async () => {
    const first = await startProgram(folder.path);
    await stop(first, 'SIGKILL');
    // As if it had been killed after the credentials were kept and before anything was appended.
    const fresh = await temporaryFolder();
    for (const file of ['credentials.json', 'secrets.json'])
      await writeFile(join(fresh.path, file), await readFile(join(folder.path, file)));
    const second = await startProgram(fresh.path);
    expect(second.credentials).to.eql(first.credentials);
    expect((await second.project.get('/apps')).status).to.equal(200);
    expect(second.program.stdout()).to.include('npx roomwire listen');
    await stop(second);
    await fresh.remove();
  });

  it('answers for liveness and readiness', async () => {
    const service = await startProgram(folder.path);
    for (const path of ['/healthz', '/readyz'])
      expect((await fetch(`${service.baseUrl}${path}`)).status, path).to.equal(200);
    await stop(service);
  });

  it('goes on where nobody reads what it prints, as behind `head -1`', async () => {
    const program = runRoomwire(['start'], { ROOMWIRE_DATA_DIR: folder.path, ROOMWIRE_PORT: '0' });
    program.process.stdout?.destroy();
    const [, baseUrl = ''] = await program.printed(/"url":"(http:[^"]+)"/);
    expect((await fetch(`${baseUrl}/healthz`)).status).to.equal(200);
    program.process.kill('SIGTERM');
    expect(await program.ended).to.eql({ code: 0, signal: null });
    expect(program.stderr()).to.include('Closing');
  });

  it('closes in order also where nobody reads what it prints any longer, as when Ctrl-C ends a `tee` behind it first', async () => {
    const { program } = await startProgram(folder.path);
    program.process.stdout?.destroy();
    program.process.stderr?.destroy();
    program.process.kill('SIGINT');
    expect(await program.ended).to.eql({ code: 0, signal: null });
  });

  it('closes everything in order on SIGTERM, and keeps all data', async () => {
    const service = await startProgram(folder.path);
    const { topic, listener } = await twoActors(service.project);
    const client = connect({ url: service.socketUrl, token: listener, reconnect: false });
    await client.subscribe(topic, () => undefined);
    const closed = new Promise((resolve) => {
      client.on('state', (state) => {
        if (state.name === 'closed') resolve(state.reason);
      });
    });
    // A client that sends half a request and waits does not hold up the end.
    const idle = connectTcp(Number(new URL(service.baseUrl).port), '127.0.0.1');
    idle.on('error', () => undefined);
    idle.write('GET /v1/apps HTTP/1.1\r\nHost: x\r\n');
    const { body: last } = await service.project.post('/actors', { name: 'last', actorType: 'user' });
    expect(await stop(service)).to.eql({ code: 0, signal: null });
    expect(await closed).to.include({ closeCode: 1012, closeReason: 'service_restart' });
    const again = await startProgram(folder.path);
    expect((await again.project.get(`/actors/${last.actorTokenId}`)).status).to.equal(200);
    await stop(again);
    idle.destroy();
  });
});
