import type { RecordChange } from '../run/historyReads.js';
import type { Estate, World } from './world.js';

/** Undefined where no answer says what is. */
type Ask = (
  method: string,
  path: string,
  body: Readonly<Record<string, unknown>> | undefined,
  statuses: readonly number[],
) => Promise<unknown>;

const bounds = [{}, {}, { messages: 12 }, { messages: 5 }] as const;

/** Changes what `board` keeps, and deletes what it has kept. */
export class RecordAdmin {
  private readonly world: World;
  private readonly ask: Ask;
  private readonly records: boolean;
  private isOn = true;

  constructor(world: World, records: boolean, ask: Ask) {
    this.world = world;
    this.records = records;
    this.ask = ask;
  }

  get configs(): Readonly<Record<string, unknown>> {
    return this.configsWith({});
  }

  async change(estate: Estate): Promise<void> {
    const { chance } = this.world;
    if (chance.below(3) > 0) return this.delete(estate);
    this.isOn = !this.isOn || chance.below(3) > 0;
    const history = this.isOn ? chance.oneOf(bounds) : null;
    await this.noted(undefined, this.isOn ? 'configured' : 'off', () =>
      this.ask('PATCH', `/apps/${estate.appId}`, { topicConfigs: this.configsWith(history) }, [200]),
    );
  }

  private async delete({ appId, rooms }: Estate): Promise<void> {
    const { roomId, slug } = this.world.chance.oneOf(rooms);
    const path = `/apps/${appId}/rooms/${roomId}/topics/board/messages`;
    await this.noted(slug, 'deleted', () => this.ask('DELETE', path, undefined, [204]));
  }

  private async noted(
    room: string | undefined,
    kind: RecordChange['kind'],
    change: () => Promise<unknown>,
  ): Promise<void> {
    const { time, history } = this.world;
    const askedAt = time.now;
    const answer = await change();
    const answeredAt = answer === undefined ? Infinity : time.now;
    history.recordChanges.push({ name: 'board', room, kind, askedAt, answeredAt });
  }

  private configsWith(board: Readonly<Record<string, unknown>> | null): Readonly<Record<string, unknown>> {
    return {
      news: { history: {} },
      board: { history: board },
      ...(this.records && { jobs: { logging: { enabled: true } } }),
    };
  }
}
