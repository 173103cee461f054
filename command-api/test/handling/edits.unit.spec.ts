import { expect } from 'chai';
import fc from 'fast-check';
import { inPlace, RevocableEdits, type Edits } from '../../src/handling/edits.js';

const key = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  fc.tuple(key, fc.option(fc.nat(3), { nil: undefined })).map(([name, value]) => ({ put: name, value })),
  key.map((name) => ({ add: name })),
  key.map((name) => ({ remove: name })),
);
type Step = { put: string; value: number | undefined } | { add: string } | { remove: string };

const collections = () => ({ map: new Map<string, number | undefined>(), set: new Set<string>() });

const perform = (
  edits: Edits,
  { map, set }: ReturnType<typeof collections>,
  steps: readonly Step[],
): void => {
  for (const each of steps)
    if ('put' in each) edits.put(map, each.put, each.value);
    else if ('add' in each) edits.add(set, each.add);
    else {
      edits.remove(map, each.remove);
      edits.remove(set, each.remove);
    }
};

describe('edits', () => {
  it('change collections in the same way whether they can be taken back or not', () => {
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const [plain, revocable] = [collections(), collections()];
        perform(inPlace, plain, steps);
        perform(new RevocableEdits(), revocable, steps);
        expect(revocable).to.eql(plain);
      }),
      { seed: 3 },
    );
  });

  it('that are taken back leave what was there before, keys without a value too', () => {
    fc.assert(
      fc.property(fc.array(step), fc.array(step), (earlier, later) => {
        const [changed, expected] = [collections(), collections()];
        for (const each of [changed, expected]) perform(inPlace, each, earlier);
        const edits = new RevocableEdits();
        perform(edits, changed, later);
        edits.takeBack();
        expect(changed).to.eql(expected);
        perform(inPlace, changed, later);
        perform(inPlace, expected, later);
        expect(changed).to.eql(expected);
      }),
      { seed: 3 },
    );
  });
});
