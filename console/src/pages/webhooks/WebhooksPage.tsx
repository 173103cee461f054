import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { PageHeader } from '../../components/PageHeader.js';
import { Circuits } from './Circuits.js';
import { DeadLetterPage } from './DeadLetterPage.js';
import { DeadLetters } from './DeadLetters.js';
import { Outcomes } from './Outcomes.js';
import { Secrets } from './Secrets.js';

const parts = [
  { id: 'outcomes', title: 'Calls', Part: Outcomes },
  { id: 'dead-letters', title: 'Dead letters', Part: DeadLetters },
  { id: 'circuits', title: 'Circuits', Part: Circuits },
  { id: 'secrets', title: 'Secrets', Part: Secrets },
] as const;

export const WebhooksPage = () => (
  <Switch>
    <Route path="/dead-letters/:dlqId">{({ dlqId }) => <DeadLetterPage key={dlqId} dlqId={dlqId} />}</Route>
    <Route path="/:part">{({ part }) => <WebhookParts part={part} />}</Route>
    <Route>
      <Redirect replace to="/outcomes" />
    </Route>
  </Switch>
);

const WebhookParts = ({ part }: { readonly part: string }) => {
  const [, navigate] = useLocation();
  return (
    <>
      <PageHeader title="Webhooks">
        The calls to your backend as they happen, and those that came to nothing.
      </PageHeader>
      <Tabs selectedKey={part} onSelectionChange={(key) => navigate(`/${key}`)}>
        <TabList aria-label="Webhooks" className="tab-list">
          {parts.map(({ id, title }) => (
            <Tab key={id} id={id}>
              {title}
            </Tab>
          ))}
        </TabList>
        {parts.map(({ id, Part }) => (
          <TabPanel key={id} id={id} className="tab-panel">
            <Part />
          </TabPanel>
        ))}
      </Tabs>
    </>
  );
};
