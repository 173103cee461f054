import fc from 'fast-check';
import { expect } from 'chai';
import { FairBudget, type Account } from '../../src/limits/fairBudget.js';

describe('FairBudget', () => {
  it('[WS-MEM-1] knows the largest member of the project that holds the most', () => {
    const budget = new FairBudget<string>(100);
    budget.open('small', 'one').resize(25);
    budget.open('large', 'first').resize(10);
    budget.open('large', 'second').resize(20);
    expect(budget.largest).to.include({ projectId: 'large', member: 'second', bytes: 20 });
    expect(budget.heldBy('large')).to.equal(30);
    expect(budget.isExceeded).to.equal(false);
  });

  it('[WS-MEM-1] admits nobody beyond half of it, and beyond the whole only who would not hold the most', () => {
    const budget = new FairBudget<string>(100);
    budget.open('a', '').resize(45);
    expect(budget.admits('a', 5)).to.equal(true);
    expect(budget.admits('a', 6)).to.equal(false);
    budget.open('b', '').resize(40);
    budget.open('c', '').resize(15);
    expect(budget.admits('a', 1)).to.equal(false);
    expect(budget.admits('b', 4)).to.equal(true);
    expect(budget.admits('b', 5)).to.equal(false);
    expect(budget.admits('new', 30)).to.equal(true);
  });

  it('[WS-MEM-1] agrees with a plain sum after any changes, and holds nothing in the end', () => {
    const change = fc.tuple(fc.nat(4), fc.nat(6), fc.nat(9));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        const budget = new FairBudget<string>(1);
        const accounts = new Map<string, Account<string>>();
        for (const [project, member, bytes] of changes) {
          const key = `${project}/${member}`;
          const account = accounts.get(key) ?? budget.open(`${project}`, key);
          accounts.set(key, account);
          account.resize(bytes);
          if (bytes > 0) continue;
          account.close();
          accounts.delete(key);
        }
        const held = [0, 1, 2, 3, 4].map((project) =>
          [...accounts.values()].reduce(
            (sum, { projectId, bytes }) => sum + (projectId === `${project}` ? bytes : 0),
            0,
          ),
        );
        expect(held.map((_, project) => budget.heldBy(`${project}`))).to.deep.equal(held);
        expect(budget.used).to.equal(held.reduce((sum, bytes) => sum + bytes));
        const { largest } = budget;
        expect(largest === undefined).to.equal(accounts.size === 0);
        if (largest !== undefined) expect(budget.heldBy(largest.projectId)).to.equal(Math.max(...held));
        for (const { projectId, bytes } of accounts.values())
          if (projectId === largest?.projectId) expect(bytes).to.be.at.most(largest.bytes);
        for (const account of accounts.values()) account.close();
        expect(budget.used).to.equal(0);
        expect(budget.largest).to.equal(undefined);
      }),
      { seed: 715, numRuns: 300 },
    );
  });

  it('[WS-MEM-1] ignores a change of a closed account', () => {
    const budget = new FairBudget<string>(100);
    const account = budget.open('project', '');
    account.resize(10);
    account.close();
    account.close();
    account.resize(10);
    expect(budget.used).to.equal(0);
  });
});
