import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { SignJWT } from 'jose';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { actorOf } from '../../support/hookedApp.js';
import { runRoomwire, startProgram, stop, type RunningService } from '../../support/program.js';

type Item = Readonly<Record<string, unknown>>;

describe('the command line as a client', function () {
  // Each command is a process of its own.
  this.timeout(60_000);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: RunningService;
  let environment: Readonly<Record<string, string>>;

  before(async () => {
    folder = await temporaryFolder();
    service = await startProgram(join(folder.path, 'data'));
    environment = { XDG_CONFIG_HOME: join(folder.path, 'config'), ROOMWIRE_DATA_DIR: service.dataDir };
  });
  after(async () => {
    await stop(service);
    await folder.remove();
  });

  const run = async (args: readonly string[], more: Readonly<Record<string, string>> = {}, input = '') => {
    const program = runRoomwire(args, { ...environment, ...more }, undefined, input);
    const { code } = await program.ended;
    return { code, stdout: program.stdout(), stderr: program.stderr() };
  };
  const done = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(args);
    expect(code, `${args.join(' ')}: ${stderr}`).to.equal(0);
    return stdout;
  };
  const json = async <T = Item>(...args: readonly string[]): Promise<T> =>
    JSON.parse(await done(...args, '--json')) as T;

  it('keeps the credentials of the data folder for a service at hand, and needs nothing else then', async () => {
    const url = service.baseUrl;
    expect(await done('login', '--url', url)).to.include(`an API key, a session for ${url}`);
    expect((await stat(join(folder.path, 'config', 'roomwire', 'profiles.json'))).mode & 0o777).to.equal(
      0o600,
    );
    expect(await done('apps', 'list')).to.match(/^SLUG +NAME/);
    const watching = runRoomwire(['webhooks', 'tail'], environment);
    await watching.printed(/Watching/);
    watching.process.kill('SIGINT');
    expect((await watching.ended).code).to.equal(0);
  });

  it('keeps nothing that the service does not take, and asks for a key where there is none', async () => {
    const elsewhere = { ROOMWIRE_DATA_DIR: join(folder.path, 'none') };
    const login = ['login', '--url', service.baseUrl, '--profile', 'other'];
    const refused = await run([...login, '--api-key', 'ak_live_0.x'], elsewhere);
    expect(refused).to.include({ code: 1, stdout: '' });
    expect(refused.stderr).to.not.include('ak_live_0.x');
    expect(await run(['apps', 'list', '--profile', 'other'])).to.include({ code: 2 });
    const { apiKey } = service.credentials;
    expect(await run(login, elsewhere, `${apiKey}\n`)).to.include({ code: 0 });
    expect((await run(login, elsewhere)).stderr).to.include('--api-key');
    await done('apps', 'list', '--profile', 'other');
    await done('logout', '--profile', 'other');
    expect(await run(['apps', 'list', '--profile', 'other'])).to.include({ code: 2 });
  });

  it('sends what it keeps to no other service', async () => {
    const { code, stderr } = await run(['apps', 'list'], { ROOMWIRE_URL: 'http://127.0.0.1:1' });
    expect([code, stderr]).to.eql([
      2,
      'Give an API key with --api-key or ROOMWIRE_API_KEY, or run roomwire login\n',
    ]);
  });

  it('sends no session of the data folder to a service elsewhere', async () => {
    const elsewhere = {
      XDG_CONFIG_HOME: join(folder.path, 'none'),
      ROOMWIRE_API_URL: 'http://roomwire.invalid',
    };
    const { code, stderr } = await run(['connections', 'list', '--url', service.baseUrl], elsewhere);
    expect([code, stderr]).to.eql([
      2,
      'Give a session token with --session or ROOMWIRE_SESSION_TOKEN, or run roomwire login\n',
    ]);
    const login = await run(['login', '--url', service.baseUrl], elsewhere);
    expect([login.code, login.stderr]).to.eql([2, 'Give an API key with --api-key or ROOMWIRE_API_KEY\n']);
  });

  it('takes a variable that is empty for one that is not set', async () => {
    const names = ['API_URL', 'PROFILE', 'API_KEY', 'SESSION_TOKEN'];
    const empty = Object.fromEntries(names.map((name) => [`ROOMWIRE_${name}`, '']));
    for (const args of [
      ['apps', 'list'],
      ['connections', 'list'],
    ])
      expect(await run(args, empty), args.join(' ')).to.include({ code: 0, stderr: '' });
  });

  it('creates, lists, shows, changes and deletes apps, rooms and grants by their addresses', async () => {
    const { slug, appId } = await json('apps', 'create', '--name', 'Desk', '--topics', 'chat,typing');
    await done('rooms', 'create', String(slug), '--name', 'Hall');
    const address = `${String(slug)}/hall`;
    const grant = await json('grants', 'create', address, '--permission', 'pubSub', '--actor-type', 'user');
    const grantId = String(grant['roomActorAccessId']);
    expect(await done('rooms', 'list', String(slug))).to.match(/^SLUG .*\nhall +Hall +active +chat,typing/);
    expect(await json('apps', 'get', String(slug))).to.include({ appId });
    expect(await json('rooms', 'update', address, '--description', 'Big')).to.include({ description: 'Big' });
    expect(await json('rooms', 'update', address, '--description', 'null')).to.include({ description: null });
    expect(await json('grants', 'get', `${address}/${grantId}`)).to.eql(grant);
    expect(await json<readonly Item[]>('grants', 'list', address)).to.eql([grant]);
    await done('grants', 'delete', `${address}/${grantId}`, '--yes');
    expect(await json('grants', 'list', address)).to.eql([]);
    const unconfirmed = await run(['rooms', 'delete', address]);
    expect([unconfirmed.code, unconfirmed.stderr]).to.eql([2, 'Pass --yes to delete without confirmation\n']);
    await done('rooms', 'delete', address, '--yes');
    expect((await run(['rooms', 'get', address])).stderr).to.equal('There is no room hall in the project\n');
    expect((await run(['rooms', 'get', 'hall'])).code).to.equal(2);
    expect((await run(['apps', 'update', String(slug)])).stderr).to.equal('Name a field to change\n');
  });

  it('[HTTP-IMPACT-1] [HTTP-IMPACT-3] says whom a change would cut off, and changes nothing', async () => {
    const { slug, appId } = (await service.project.post('/apps', { name: 'Club', topics: ['chat'] })).body;
    const rooms = `/apps/${appId}/rooms`;
    const { roomId } = (await service.project.post(rooms, { name: 'Bar' })).body;
    const room = `${slug}/bar`;
    const { accessToken, actorTokenId, keyId } = await actorOf(service.project, { name: 'Ann' });
    const socket = await FrameClient.join(service.socketUrl, accessToken);
    await socket.subscribe(`${room}/chat`);
    const cutOff = (rule: string) => ({
      data: [{ actorTokenId, name: 'Ann', address: `${room}/chat`, scope: null, rule, connections: 1 }],
      total: 1,
    });
    const ofDevices = ['--permission', 'pubSub', '--actor-type', 'device'];
    expect(await json('impact', 'grants', 'create', room, ...ofDevices)).to.eql(cutOff('grant_missing'));
    expect(await json('impact', 'apps', 'update', slug, '--topics', 'news')).to.eql(
      cutOff('topic_not_exposed'),
    );
    expect(await json('impact', 'actors', 'delete', keyId)).to.eql({
      ...cutOff('actor_missing'),
      connections: 1,
    });
    expect(await done('impact', 'rooms', 'delete', room)).to.match(
      /^It would end 1 subscription now\nNAME .*\nAnn .* room_missing /,
    );
    expect(await done('impact', 'rooms', 'update', room, '--description', 'Dark')).to.equal(
      'It would cut nobody off now\n',
    );
    expect((await service.project.get(`${rooms}/${roomId}`)).body).to.include({ description: null });
    expect((await run(['impact', 'rooms', 'update', room])).stderr).to.equal('Name a field to change\n');
    const unknown = await run(['impact', 'rooms', 'delete', `${slug}/none`]);
    expect([unknown.code, unknown.stderr]).to.eql([1, 'There is no room none in the project\n']);
    socket.terminate();
  });

  it('says who is in a room, page after page', async () => {
    const { slug, appId } = (await service.project.post('/apps', { name: 'House', topics: ['chat'] })).body;
    const { roomId } = (await service.project.post(`/apps/${appId}/rooms`, { name: 'Hall' })).body;
    const address = `${slug}/hall`;
    const made = Array.from({ length: 101 }, () => actorOf(service.project));
    const people = await Promise.all(made);
    const sockets = await Promise.all(
      people.map(({ accessToken }) => FrameClient.join(service.socketUrl, accessToken)),
    );
    for (const socket of sockets) socket.send({ type: 'presence', roomId: address, data: { mood: 'fine' } });
    const all = `/apps/${appId}/rooms/${roomId}/presence?limit=1000`;
    await eventually(async () => (await service.project.get(all)).body.data.length === 101);
    const listed = (await json<readonly Item[]>('who', address)).map((one) => one['actorTokenId']);
    expect(listed).to.eql(people.map(({ actorTokenId }) => actorTokenId).sort());
    expect(await done('who', address)).to.match(
      /^ACTOR TOKEN ID +JOINED AT +PRESENCE\n.*Z +{"mood":"fine"}\n/,
    );
    expect((await run(['who', address, '--scope', 'nowhere'])).stderr).to.match(/no access scope nowhere/);
    expect((await run(['who', 'hall'])).code).to.equal(2);
    for (const socket of sockets) socket.terminate();
  });

  it('revokes the client tokens of a subject, and lists what was revoked', async () => {
    const made = await json('revocations', 'create', '--subject', 'ext:ada');
    expect(made).to.include({ subject: 'ext:ada' });
    expect(await json('revocations', 'list')).to.eql([made]);
    expect(await json('revocations', 'get', String(made['revocationId']))).to.eql(made);
    expect((await run(['revocations', 'delete', String(made['revocationId']), '--yes'])).code).to.equal(2);
  });

  it('lists more records than the API gives at once', async () => {
    const { slug, appId } = await json('apps', 'create', '--name', 'Many', '--topics', 'chat');
    const path = `/apps/${String(appId)}/rooms`;
    const answers = await Promise.all(
      Array.from({ length: 101 }, (_, room) => service.project.post(path, { name: `r${room}` })),
    );
    for (const { status } of answers) expect(status).to.equal(201);
    expect(await json<readonly Item[]>('rooms', 'list', String(slug))).to.have.length(101);
  });

  it('creates actors, scopes and keys, whose secrets go where they are asked for', async () => {
    const scope = await json('scopes', 'create', '--slug', 'north', '--name', 'North');
    expect(await json('scopes', 'get', 'north')).to.eql(scope);
    const actor = ['actors', 'create', '--name', 'Till', '--actor-type', 'device'];
    const refused = await run(actor);
    expect(refused).to.include({ code: 2, stdout: '' });
    const file = join(folder.path, 'token');
    const shown = await done(...actor, '--output', file, '--access-scope-id', String(scope['accessScopeId']));
    const token = (await readFile(file, 'utf8')).trim();
    expect(shown).to.include('at_live_').and.not.include(token.split('.')[1]);
    const [keyId = ''] = token.split('.');
    expect(await json('actors', 'update', keyId, '--status', 'disabled')).to.include({ status: 'disabled' });
    await done('actors', 'delete', keyId, '--yes');
    const key = await json('signing-keys', 'create', '--name', 'Shop');
    expect(await json('signing-keys', 'get', String(key['keyId']))).to.include({ name: 'Shop' });
    await done('signing-keys', 'delete', String(key['keyId']), '--yes');
    const apiKey = await json('api-keys', 'create', '--name', 'CI', '--permissions', 'apps:read');
    expect(await json('api-keys', 'get', String(apiKey['keyId']))).to.deep.include({
      permissions: ['apps:read'],
    });
    await done('api-keys', 'delete', String(apiKey['keyId']), '--yes');
    expect(await done('connections', 'list', '--state', 'open')).to.match(/^CONNECTED AT/);
    expect(JSON.parse(await done('connections', 'list', '--json'))).to.be.an('array');
    expect((await run(['connections', 'timeline', '11111111-2222-4333-8444-555555555555'])).code).to.equal(1);
    expect((await run(['connections', 'close'])).code).to.equal(2);
    expect(await done('dead-letters', 'list')).to.match(/^CREATED AT/);
    expect(await done('dead-letters', 'redrive', '--all', '--dry-run')).to.match(/0/);
    expect((await run(['dead-letters', 'redrive'])).code).to.equal(2);
    expect(await done('webhooks', 'circuits')).to.match(/^OPENED AT/);
    expect(JSON.parse(await done('webhooks', 'circuits', '--json'))).to.eql([]);
    expect(await done('webhooks', 'close-circuit', 'https://example.com/hook')).to.match(/^was not open: /);
    expect((await run(['webhooks', 'circuits', '--project', 'none'])).code).to.equal(1);
  });

  it('explains a token by itself, by the records and by the gateway', async () => {
    const actor = await json('actors', 'create', '--name', 'Ann', '--actor-type', 'user');
    const key = await json('signing-keys', 'create', '--name', 'Shop');
    const secret = String(key['signingKey']).split('.')[1] ?? '';
    const signed = (bytes: string): Promise<string> =>
      new SignJWT({ sub: String(actor['keyId']) })
        .setProtectedHeader({ alg: 'HS256', kid: String(key['keyId']) })
        .setExpirationTime('1h')
        .sign(Buffer.from(bytes));
    const good = await run(['explain-token', '-'], {}, `${await signed(secret)}\n`);
    expect([good.code, good.stdout]).to.deep.include(0);
    expect(good.stdout).to.include(`accepts it, as the actor ${String(actor['actorTokenId'])}`);
    const wrong = await run(['explain-token', await signed('another secret, of some length')]);
    expect(wrong.code).to.equal(1);
    expect(wrong.stdout)
      .to.include('✔ The signing key')
      .and.include('it was revoked')
      .and.include('signed with another secret');
    await done('actors', 'update', String(actor['keyId']), '--status', 'disabled');
    const disabled = await run(['explain-token', String(actor['accessToken'])]);
    expect(disabled.stdout).to.include('✖ The actor').and.include('is disabled');
    const offline = await run(['explain-token', service.credentials.apiKey, '--offline']);
    expect([offline.code, offline.stdout]).to.deep.include(1);
    for (const { stdout, stderr } of [good, wrong, disabled, offline])
      expect(stdout + stderr)
        .to.not.include(secret)
        .and.not.include(service.credentials.apiKey);
  });

  it('prints scripts that complete its commands', async () => {
    for (const shell of ['bash', 'zsh', 'fish'])
      expect(await done('completion', shell)).to.include('signing-keys');
    const script = await done('completion', 'bash');
    expect(script).to.match(/"apps"\) echo "list get create update delete/);
    expect(script).to.match(/"impact grants"\) echo "create delete/);
  });
});
