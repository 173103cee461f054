import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { apiRoutes, type ApiDeps } from '../../src/commandApi.js';
import { isWrite, organizationParameter, pathParameterNames, roleNeeded } from '../../src/http/route.js';

describe('The roles of docs/SESSIONS.md', () => {
  it('are those of the routes', () => {
    const text = readFileSync(new URL('../../../../docs/SESSIONS.md', import.meta.url), 'utf8');
    const rows = Array.from(text.matchAll(/^\| `(\w+)` +\| `(viewer|editor|admin)` +\|$/gm));
    const writes = apiRoutes({} as ApiDeps).filter(
      (route) =>
        route.access === 'session' &&
        isWrite(route) &&
        pathParameterNames(route.path).includes(organizationParameter),
    );
    expect(Object.fromEntries(rows.map(([, operation, role]) => [operation, role]))).to.eql(
      Object.fromEntries(writes.map((route) => [route.operationId, roleNeeded(route)])),
    );
  });
});
