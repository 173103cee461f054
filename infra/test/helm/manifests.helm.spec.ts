import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { envoyProblems, manifestProblems } from '@roomwire/testing/engines/kubernetesTools';
import { chart, textOf } from './rendered.js';

const manifests = readdirSync(`${chart}../kubernetes`, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml') && !name.endsWith('kustomization.yaml'))
  .map((name) => `kubernetes/${name}`);

const gateway = textOf('kubernetes/gateway.yaml');

describe('what a cluster says', function () {
  this.timeout(30 * 60_000);

  for (const file of [...manifests, 'load-balancers/kubernetes-gateway.yaml'])
    it(`has nothing against ${file}`, async () => {
      expect(await manifestProblems(textOf(file))).to.eql([]);
    });

  const faults: readonly (readonly [what: string, find: string, replacement: string, said: RegExp])[] = [
    [
      'a field that there is not',
      'terminationGracePeriodSeconds',
      'terminationGraceSeconds',
      /unknown field/,
    ],
    ['a number that is a text', 'replicas: 2', "replicas: 'two'", /cannot unmarshal string/],
    ['a rollout that cannot begin', 'maxSurge: 1', 'maxSurge: 0', /maxUnavailable: Invalid value/],
    [
      'more requested than is allowed',
      'memory: 512Mi',
      'memory: 5Gi',
      /must be less than or equal to memory/,
    ],
    ['a port without a name', 'port: http\n', 'port: no\n', /port/],
    ['a privilege', 'allowPrivilegeEscalation: false', 'allowPrivilegeEscalation: true', /restricted/],
    ['a version that there is not', 'apiVersion: policy/v1', 'apiVersion: policy/v3', /no kind|not a kind/],
    ['a key that is given twice', 'replicas: 2', 'replicas: 2\n  replicas: 3', /already set/],
  ];
  for (const [what, find, replacement, said] of faults)
    it(`would be told of ${what}`, async () => {
      expect(gateway).to.include(find);
      const problems = await manifestProblems(gateway.replaceAll(find, replacement));
      expect(problems.join('\n')).to.match(said);
    });

  it('would be told of a route that breaks a rule of its definition', async () => {
    const route = (request: string) =>
      JSON.stringify({
        ...{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: { name: 'x' } },
        spec: { parentRefs: [{ name: 'y' }], rules: [{ timeouts: { request, backendRequest: '5s' } }] },
      });
    expect(await manifestProblems(route('10s'))).to.eql([]);
    expect((await manifestProblems(route('3s'))).join()).to.include(
      'backendRequest timeout cannot be longer',
    );
  });
});

describe('what the API of Envoy says', function () {
  this.timeout(30 * 60_000);
  const configuration = textOf('load-balancers/envoy.yaml');

  it('has nothing against the configuration', async () => {
    expect(await envoyProblems(configuration)).to.eql([]);
  });

  const faults: readonly (readonly [what: string, find: string, replacement: string, said: RegExp])[] = [
    ['a field that there is not', 'lb_policy', 'lb_policies', /unknown field/],
    ['a policy that there is not', 'RING_HASH', 'RINGS', /invalid value for enum/],
    ['a factor out of bounds', 'hash_balance_factor: 150', 'hash_balance_factor: 50', /HashBalanceFactor/],
    ['a filter without a name for its numbers', 'stat_prefix: public', "stat_prefix: ''", /StatPrefix/],
  ];
  for (const [what, find, replacement, said] of faults)
    it(`would be told of ${what}`, async () => {
      expect(configuration).to.include(find);
      expect((await envoyProblems(configuration.replaceAll(find, replacement))).join()).to.match(said);
    });
});
