import { expect } from 'chai';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { sharedReads } from '../../src/http/sharedReads.js';

describe('reads that are shared', () => {
  interface Asked {
    readonly what: unknown;
    readonly resolve: (found: never) => void;
    readonly reject: (error: Error) => void;
  }

  const prepare = () => {
    const asked: Asked[] = [];
    const ask = (what: unknown) =>
      new Promise<never>((resolve, reject) => asked.push({ what, resolve, reject }));
    const views = {
      get: (_view: unknown, id: string) => ask(id),
      find: (_view: unknown, query: unknown) => ask(query),
    } as Pick<ViewReader, 'get' | 'find'>;
    return { asked, reads: sharedReads(views) };
  };

  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('begin after everybody who shares them has asked', async () => {
    const { asked, reads } = prepare();
    const first = reads.get('projects', 'p1');
    const later = [reads.get('projects', 'p1'), reads.get('projects', 'p1')];
    await turn();
    expect(asked).to.have.length(1);
    asked[0]?.resolve('before' as never);
    expect(await first).to.equal('before');
    await turn();
    expect(asked).to.have.length(2);
    const last = reads.get('projects', 'p1');
    asked[1]?.resolve('after' as never);
    expect(await Promise.all(later)).to.deep.equal(['after', 'after']);
    await turn();
    asked[2]?.resolve('last' as never);
    expect(await last).to.equal('last');
  });

  it('are not remembered', async () => {
    const { asked, reads } = prepare();
    for (const found of ['one', 'two']) {
      const read = reads.get('projects', 'p1');
      asked.at(-1)?.resolve(found as never);
      expect(await read).to.equal(found);
    }
    expect(asked).to.have.length(2);
  });

  it('fail for those who share them, and for nobody after', async () => {
    const { asked, reads } = prepare();
    const failed = Promise.allSettled([reads.get('projects', 'p1')]);
    const later = reads.get('projects', 'p1');
    asked[0]?.reject(new Error('away'));
    expect((await failed).map(({ status }) => status)).to.deep.equal(['rejected']);
    await turn();
    asked[1]?.resolve('back' as never);
    expect(await later).to.equal('back');
  });

  it('are those of the same view and id, or of the same query', async () => {
    const { asked, reads } = prepare();
    void reads.get('projects', 'p1');
    void reads.get('projects', 'p2');
    void reads.get('organizations', 'p1');
    void reads.find('apiKeys', { filter: { keyId: 'a' }, limit: 1 });
    void reads.find('apiKeys', { filter: { keyId: 'b' }, limit: 1 });
    void reads.find('apiKeys', { filter: { keyId: 'a' }, limit: 1 });
    await turn();
    expect(asked).to.have.length(5);
  });
});
