import { expect } from 'chai';
import { runRoomwire, type Program } from '../../support/program.js';
import { PublishServer } from '../../support/publishServer.js';

describe('roomwire publish --stdin', () => {
  let api: PublishServer;

  beforeEach(async () => void (api = await PublishServer.open()));
  afterEach(() => api.close());

  const publish = (args: readonly string[], input: string): Program => {
    const environment = { ROOMWIRE_API_URL: api.url, ROOMWIRE_API_KEY: 'key' };
    return runRoomwire(['publish', '--stdin', ...args], environment, undefined, input);
  };

  it('publishes each line once, though an answer is lost', async () => {
    const numbers = Array.from({ length: 250 }, (_, index) => index);
    api.losesAnswer = (request) => request === 1;
    const program = publish(['a/b/c'], numbers.join('\n'));
    expect((await program.ended).code, program.stderr()).to.equal(0);
    expect(api.delivered.map(({ data }) => data)).to.deep.equal(numbers);
    expect(api.duplicates).to.be.above(0);
    expect(program.stderr()).to.match(/250 published \(\d+ of them before\), 0 failed\n$/);
    expect(program.stdout()).to.equal('');
  });

  it('goes on behind a line that fails, and exits with 1', async () => {
    const lines = ['{"topic":"a/b/c","data":1}', 'nonsense', '{"topic":"no/b/c","data":3}'];
    const program = publish([], [...lines, '{"topic":"a/b/c","data":4}'].join('\n'));
    expect((await program.ended).code).to.equal(1);
    expect(api.delivered.map(({ data }) => data)).to.deep.equal([1, 4]);
    expect(program.stderr().trim().split('\n')).to.deep.equal([
      ...['line 2: not JSON', 'line 3: unknown_topic: No such room', '2 published, 2 failed'],
    ]);
  });

  it('publishes no line again when it is repeated with the same --id', async () => {
    for (const outcome of ['2 published, 0 failed\n', '2 published (2 of them before), 0 failed\n']) {
      const program = publish(['a/b/c', '--id', 'night-7'], '"one"\n"two"\n');
      expect((await program.ended).code).to.equal(0);
      expect(program.stderr()).to.equal(outcome);
    }
    expect(api.delivered.map(({ id }) => id)).to.deep.equal(['night-7:1', 'night-7:2']);
  });

  it('refuses a message besides the lines, and a missing API key', async () => {
    expect((await publish(['a/b/c', '1'], '1').ended).code).to.equal(2);
    const program = runRoomwire(['publish', '--stdin'], {}, undefined, '');
    expect((await program.ended).code).to.equal(2);
    expect(program.stderr()).to.equal(
      'Give an API key with --api-key or ROOMWIRE_API_KEY, or run roomwire login\n',
    );
  });
});
