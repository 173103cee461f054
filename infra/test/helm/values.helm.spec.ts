import { expect } from 'chai';
import { parse } from 'yaml';
import { everything, listed, refusal, rendered, textOf } from './rendered.js';

/** Each with what the answer has to name. */
const bad: readonly (readonly [what: string, values: object, named: RegExp])[] = [
  ['a key that there is not', { gateways: {} }, /gateways/],
  ['a misspelt key of a service', { gateway: { replica: 3 } }, /gateway.*\n?.*replica/],
  ['no replica', { projections: { replicas: 0 } }, /projections\/replicas/],
  ['a drain of more than an hour', { gateway: { drainSeconds: 3601 } }, /gateway\/drainSeconds/],
  ['half a second of drain', { gateway: { drainSeconds: 0.5 } }, /gateway\/drainSeconds/],
  ['brokers without a port', { kafka: { brokers: 'kafka' } }, /kafka\/brokers/],
  ['an unknown mechanism', { kafka: { saslMechanism: 'gssapi' } }, /saslMechanism/],
  ['a digest that is none', { image: { digest: 'sha256:12' } }, /image\/digest/],
  ['a tag with spaces', { gateway: { tag: 'a b' } }, /gateway\/tag/],
  ['no limit of memory', { gateway: { resources: { limits: { memory: null } } } }, /limits/],
  ['a secret among the settings', { settings: { ROOMWIRE_MASTER_KEY: 'abc' } }, /ROOMWIRE_MASTER_KEY/],
  [
    'an address with a password among the settings of a service',
    { projections: { settings: { ROOMWIRE_MONGODB_URL: 'mongodb://a:b@c/d' } } },
    /ROOMWIRE_MONGODB_URL/,
  ],
  ['a setting that has a value of its own', { settings: { ROOMWIRE_PORT: '80' } }, /ROOMWIRE_PORT/],
  ['a variable of another program', { settings: { NODE_OPTIONS: '--inspect' } }, /NODE_OPTIONS/],
  [
    'a spread that there is not',
    { gateway: { topologySpread: { zones: 'Evenly' } } },
    /topologySpread\/zones/,
  ],
  [
    'a budget that lets no pod go',
    { gateway: { podDisruptionBudget: { maxUnavailable: 0 } } },
    /maxUnavailable/,
  ],
  ['an engine that nobody may reach', { networkPolicy: { kafka: { to: [] } } }, /networkPolicy\/kafka\/to/],
  ['a route without a gateway', { httpRoute: { enabled: true } }, /httpRoute\/parentRefs/],
  ['a service account without a name', { serviceAccount: { create: false } }, /serviceAccount\.name/],
  [
    'both ways in',
    { ingress: { enabled: true }, httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] } },
    /only one of them/,
  ],
];

describe('values of the chart', function () {
  this.timeout(30 * 60_000);

  for (const [what, values, named] of bad)
    it(`refuses ${what}`, async () => {
      expect(await refusal(values)).to.match(named);
      expect(await refusal(everything, values)).to.match(named);
    });

  it('routes REST to command-api and sockets to gateway, whichever way in there is', async () => {
    const { all } = await rendered({ ingress: { enabled: true } });
    const paths = all('Ingress').flatMap(({ spec }) =>
      listed(spec.rules[0].http.paths).map(({ path, backend }) => [path, backend.service.name]),
    );
    const expected = [
      ['/v1', 'roomwire-command-api'],
      ['/docs', 'roomwire-command-api'],
      ['/console', 'roomwire-command-api'],
      ['/ws', 'roomwire-gateway'],
    ];
    expect(paths).to.have.deep.members(expected);
    const { find } = await rendered({
      httpRoute: { enabled: true, parentRefs: [{ name: 'public' }], hostnames: ['rt.example.com'] },
    });
    const matches = listed(find('HTTPRoute', 'roomwire').spec.rules).flatMap((rule) =>
      listed(rule.matches).map(({ path }) => [path.value, rule.backendRefs[0].name]),
    );
    expect(matches).to.have.deep.members(expected);
  });

  describe('of versions', () => {
    const imagesOf = async (...values: readonly object[]) => {
      const { all } = await rendered(...values);
      const images = all('Deployment').map(({ metadata, spec }) => [
        String(metadata.name).replace('roomwire-', ''),
        String(spec.template.spec.containers[0].image).split(':')[1],
      ]);
      return Object.fromEntries(images) as Record<string, string>;
    };

    const former = { image: { tag: '0.2.0' } };

    it('upgrades one service after the other, projections first and command-api last', async () => {
      const next = { tag: '0.10.0' };
      const steps = [
        { projections: next },
        { projections: next, gateway: next, webhookConsumer: next },
        { projections: next, gateway: next, webhookConsumer: next, commandApi: next },
      ];
      for (const step of steps) expect(await imagesOf(former, step)).to.include({ projections: '0.10.0' });
    });

    it('refuses to upgrade in another order', async () => {
      const image = { tag: '0.2.0' };
      const next = { tag: '0.10.0' };
      expect(await refusal({ image, gateway: next })).to.include(
        'projections (0.2.0) is upgraded before gateway',
      );
      expect(await refusal({ image, projections: next, commandApi: next })).to.match(
        /(gateway|webhookConsumer) \(0\.2\.0\) is upgraded before commandApi \(0\.10\.0\)/,
      );
    });

    it('replaces one service after the other by the commands of the documents, with the chart of the new release', async () => {
      const { appVersion: next } = parse(textOf('helm/Chart.yaml')) as { readonly appVersion: string };
      const commands = textOf('../docs/DEPLOYMENT.md').matchAll(/^upgrade --set (.*)$/gm);
      let values: object = {};
      const steps: Record<string, string>[] = [];
      for (const [, given = ''] of commands) {
        const set = given.replaceAll('0.1.0', '0.0.9').replaceAll('0.2.0', next);
        for (const [key, tag = ''] of set.split(',').map((each) => each.split('=')))
          values = { ...values, [`${key}`.split('.')[0] ?? '']: { tag } };
        steps.push(await imagesOf(values));
      }
      const images = (projections: string, both: string, commandApi: string) => ({
        ...{ projections, gateway: both, 'webhook-consumer': both, 'command-api': commandApi },
      });
      expect(steps).to.eql([
        images(next, '0.0.9', '0.0.9'),
        images(next, next, '0.0.9'),
        images(next, next, next),
        images(next, next, next),
      ]);
    });

    it('keeps one of the old projections beside the new ones, under another name', async () => {
      const images = await imagesOf(former, { projections: { tag: '0.3.0', keptTag: '0.2.0' } });
      expect(images).to.include({ projections: '0.3.0', 'projections-old': '0.2.0' });
    });
  });
});
