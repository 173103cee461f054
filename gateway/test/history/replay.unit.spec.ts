import { expect } from 'chai';
import { Buffer } from 'node:buffer';
import { decodeMulti } from '@msgpack/msgpack';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { endOf, type HistoryView, type KeptMessage } from '@roomwire/shared/ports/history';
import {
  binaryFrame,
  messageBody,
  messageHead,
  payloadOf,
} from '@roomwire/shared/wire/protocol/encodeFrames';
import { historyTopic, MemoryRecord } from '@roomwire/testing/fakes/memoryRecord';
import { eventually } from '@roomwire/testing/run/eventually';
import { Hold, ReplayMemory } from '../../src/history/hold.js';
import { ReplayFrames } from '../../src/history/replayFrames.js';
import { Replay, type Replaying, type ReplayExtent } from '../../src/history/replay.js';

const now = 1_790_000_000_000;
const head = messageHead('app/room/chat');

interface Got {
  readonly data: number;
  readonly isReplay?: true;
}

/** A subscription to a topic whose messages are numbers, and its client, which reads when it is told to. */
class Stage {
  readonly record = new MemoryRecord();
  readonly memory = new ReplayMemory(1_000_000);
  readonly got: Got[] = [];
  /** What it was told of the record that it has been sent. */
  readonly caughtUp: ReplayExtent[] = [];
  /** The stamps of the last values that it has been sent. */
  readonly values: string[] = [];
  isOver = false;
  waitingBytes = 0;
  failures = 0;
  hold: Hold | undefined = new Hold(this.memory);
  look: () => Promise<HistoryView> = async () => this.record.view();
  private readonly outbox: Replaying['outbox'];
  private readonly subscription: Replaying;
  private replay: Replay;

  constructor() {
    const waiting = (): number => this.waitingBytes;
    this.outbox = {
      push: (frame) => void this.got.push(shown(decodeMulti(payloadOf(frame)).next().value as Got)),
      isOpen: true,
      get waitingBytes() {
        return waiting();
      },
    };
    this.subscription = {
      ...{ meta: false, outbox: this.outbox },
      sentLive: ({ stamp }) => void this.values.push(stamp),
      wouldGet: () => true,
      isHeldBy: (hold: Hold) => this.hold === hold,
      letGo: (hold: Hold) => {
        if (this.hold === hold) this.hold = undefined;
      },
      caughtUp: (sent: ReplayExtent) => void this.caughtUp.push(sent),
    };
    this.replay = this.replayIn(this.hold as Hold);
  }

  /** The client subscribes once more. */
  again(): void {
    const hold = new Hold(this.memory);
    if (this.hold) hold.takeOver(this.hold);
    this.hold = hold;
    this.replay = this.replayIn(hold);
  }

  /** Reaches the record, and is on its way to those that listen. */
  add(number: number, fields: Partial<LiveMessage> = {}): KeptMessage {
    return this.record.add(now, { body: messageBody(head, Uint8Array.of(number)), ...fields });
  }

  /** Reaches those that listen; `bytes` more than it says. */
  arrives({ message, place }: KeptMessage, bytes = 0): void {
    const frame = Buffer.concat([binaryFrame(message.body), Buffer.alloc(bytes)]);
    if (this.hold === undefined) this.outbox.push(frame);
    else this.hold.take(frame, { place });
  }

  publish(number: number, bytes = 0): KeptMessage {
    const kept = this.add(number);
    this.arrives(kept, bytes);
    return kept;
  }

  get isHeld(): boolean {
    return this.hold !== undefined;
  }

  send(messages: readonly KeptMessage[]): void {
    this.replay.send(messages);
  }

  goLive(view: HistoryView): Promise<void> {
    return this.replay.goLive(endOf(view));
  }

  async sendHeld(view: HistoryView): Promise<void> {
    await this.replay.sendHeld(view);
  }

  release(): void {
    this.replay.release();
  }

  /** Resolves when the client has got messages up to this one. */
  async gets(number: number): Promise<void> {
    await eventually(() => this.numbers.includes(number), { what: `message ${number}` });
  }

  get numbers(): readonly number[] {
    return this.got.map(({ data }) => data);
  }

  private replayIn(hold: Hold): Replay {
    return new Replay(this.subscription, hold, {
      ...{ topic: historyTopic, frames: new ReplayFrames() },
      look: () => this.look(),
      replayed: () => undefined,
      delivered: () => undefined,
      failed: () => this.failures++,
    });
  }
}

const shown = ({ data, isReplay }: Got): Got => ({ data, ...(isReplay && { isReplay }) });

describe('a replay', () => {
  it('[WS-HIST-7] is followed by what came live meanwhile, none missing and none twice', async () => {
    const stage = new Stage();
    const replayed = [stage.publish(1), stage.publish(2)];
    const view = stage.record.view();
    stage.publish(3);
    stage.send(replayed);
    await stage.goLive(view);
    stage.publish(4);
    expect(stage.got).to.deep.equal([
      { data: 1, isReplay: true },
      { data: 2, isReplay: true },
      { data: 3 },
      { data: 4 },
    ]);
    expect(stage.memory.bytes).to.equal(0);
  });

  it('[WS-HIST-7] says which last values it has sent, so that none comes once more when it is stored late', async () => {
    const stage = new Stage();
    const retention = (stamp: string) => ({ stamp, appId: 'a', roomId: 'r', accessScopeId: null });
    const replayed = [stage.add(1), stage.add(2, { retention: retention('s2') })];
    const view = stage.record.view();
    stage.send(replayed);
    stage.hold?.take(Buffer.alloc(1_200_000), { place: stage.add(3, { retention: retention('s3') }).place });
    await stage.goLive(view);
    expect(stage.values).to.eql(['s2', 's3']);
  });

  it('says what it has sent once all is sent, and nothing where it was cut short', async () => {
    const stage = new Stage();
    const [, second] = [stage.publish(1), stage.publish(2)];
    const view = stage.record.view();
    stage.publish(3);
    stage.send([second]);
    expect(stage.caughtUp).to.eql([]);
    await stage.goLive(view);
    expect(stage.caughtUp).to.eql([{ first: second.place, upTo: endOf(view) }]);

    const cut = new Stage();
    cut.send([cut.publish(1)]);
    [cut.waitingBytes, cut.hold] = [1_000_000, undefined];
    await cut.goLive(cut.record.view());
    expect(cut.caughtUp).to.eql([]);
  });

  it('[WS-HIST-7] leaves out what comes live only after the record was read with it', async () => {
    const stage = new Stage();
    const [first, second] = [stage.add(1), stage.add(2)];
    stage.send([first, second]);
    await stage.goLive(stage.record.view());
    stage.arrives(first);
    stage.arrives(second);
    expect(stage.isHeld).to.equal(true);
    stage.publish(3);
    stage.publish(4);
    await Promise.resolve();
    expect(stage.isHeld).to.equal(false);
    stage.publish(5);
    expect(stage.numbers).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('[WS-HIST-10] waits for a slow client, and reads from the record what did not fit in memory', async () => {
    const stage = new Stage();
    stage.publish(1);
    const view = stage.record.view();
    stage.waitingBytes = 1e6;
    const live = stage.goLive(view);
    for (let n = 2; n <= 9; n++) stage.publish(n, 300_000);
    expect(stage.numbers).to.deep.equal([]);
    expect(stage.memory.bytes).to.equal(0);
    stage.waitingBytes = 0;
    await live;
    stage.publish(10);
    expect(stage.got).to.deep.equal([2, 3, 4, 5, 6, 7, 8, 9, 10].map((data) => ({ data })));
  });

  it('[WS-HIST-10] goes on reading as long as more comes than fits', async () => {
    const stage = new Stage();
    const view = stage.record.view();
    for (let n = 1; n <= 5; n++) stage.publish(n, 300_000);
    let looks = 0;
    stage.look = async () => {
      const found = stage.record.view();
      // Meanwhile.
      if (++looks < 4) for (let n = 1; n <= 5; n++) stage.publish(looks * 5 + n, 300_000);
      return found;
    };
    await stage.goLive(view);
    expect(stage.numbers).to.deep.equal(Array.from({ length: 20 }, (_, n) => n + 1));
    expect(looks).to.equal(4);
  });

  it('[WS-HIST-10] waits for an engine that is away', async () => {
    const stage = new Stage();
    const view = stage.record.view();
    for (let n = 1; n <= 5; n++) stage.publish(n, 300_000);
    const look = stage.look;
    stage.look = () => (stage.failures === 0 ? Promise.reject(new Error('away')) : look());
    await stage.goLive(view);
    expect(stage.numbers).to.deep.equal([1, 2, 3, 4, 5]);
    expect(stage.failures).to.equal(1);
  });

  it('[WS-HIST-7] ends with its subscription, and then sends nothing', async () => {
    const stage = new Stage();
    stage.waitingBytes = 1e6;
    const live = stage.goLive(stage.record.view());
    stage.publish(1);
    stage.hold?.clear();
    stage.hold = undefined;
    await live;
    expect(stage.got).to.deep.equal([]);
    expect(stage.memory.bytes).to.equal(0);
  });

  it('[WS-HIST-10] has a bound with all others together', () => {
    const memory = new ReplayMemory(1_000);
    const [one, other] = [new Hold(memory), new Hold(memory)];
    for (const hold of [one, other])
      for (let offset = 1; offset <= 6; offset++)
        hold.take(Buffer.alloc(100), { place: { epoch: 1, offset } });
    expect([one.hasLeftOut, other.hasLeftOut]).to.deep.equal([false, true]);
    expect(memory.bytes).to.equal(600);
    expect(one.passOn({ push: () => undefined, passed: () => undefined })).to.have.length(6);
    expect(memory.bytes).to.equal(0);
  });
});

describe('a subscription that is held once more', () => {
  const large = 300_000;
  let stage: Stage;

  /** It has got the first message live. */
  beforeEach(() => {
    stage = new Stage();
    stage.hold = undefined;
    stage.publish(1);
    stage.again();
  });

  it('[WS-SUB-2] [WS-HIST-7] gets from the record what did not fit in memory', async () => {
    for (let n = 2; n <= 6; n++) stage.publish(n, large);
    stage.release();
    await stage.gets(6);
    stage.publish(7);
    await stage.gets(7);
    expect(stage.got).to.deep.equal([1, 2, 3, 4, 5, 6, 7].map((data) => ({ data })));
    expect(stage.memory.bytes).to.equal(0);
  });

  it('[WS-HIST-7] gets that live before it is replayed, and then what came behind the view', async () => {
    const last = Array.from({ length: 6 }, (_, n) => stage.publish(n + 2, large)).slice(-1);
    const view = stage.record.view();
    stage.publish(8);
    await stage.sendHeld(view);
    expect(stage.numbers).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
    stage.send(last);
    await stage.goLive(view);
    stage.publish(9);
    expect(stage.numbers).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 7, 8, 9]);
  });

  it('[WS-SUB-2] goes on where an engine went away while that was read', async () => {
    for (let n = 2; n <= 7; n++) stage.publish(n, large);
    const view = stage.record.view();
    const oldestFirst: HistoryView['oldestFirst'] = async function* (after) {
      for await (const page of view.oldestFirst(after)) {
        yield page;
        throw new Error('away');
      }
    };
    const failure = await stage.sendHeld({ ...view, oldestFirst }).catch((error: unknown) => error);
    expect(failure).to.be.an('error');
    stage.release();
    await stage.gets(7);
    expect(stage.numbers).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
  });

  it('[WS-SUB-2] takes over what an unfinished replay holds', async () => {
    stage.waitingBytes = 1e6;
    const before = stage.goLive(stage.record.view());
    stage.publish(2);
    stage.again();
    stage.publish(3);
    stage.waitingBytes = 0;
    await before;
    stage.release();
    stage.publish(4);
    expect(stage.numbers).to.deep.equal([1, 2, 3, 4]);
    expect(stage.memory.bytes).to.equal(0);
  });

  it('[WS-SUB-2] goes on where an unfinished replay has read to in the record', async () => {
    const before = stage.goLive(stage.record.view());
    for (let n = 2; n <= 9; n++) stage.publish(n, large);
    const { look } = stage;
    stage.look = async () => {
      const view = await look();
      const oldestFirst: HistoryView['oldestFirst'] = async function* (after) {
        for await (const page of view.oldestFirst(after)) {
          stage.waitingBytes = 1e6;
          yield page;
        }
      };
      return { ...view, oldestFirst };
    };
    await stage.gets(4);
    stage.look = look;
    stage.again();
    stage.publish(10);
    stage.waitingBytes = 0;
    await before;
    stage.release();
    await stage.gets(10);
    expect(stage.numbers).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
});
