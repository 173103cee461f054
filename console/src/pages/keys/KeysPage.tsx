import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { PageHeader } from '../../components/PageHeader.js';
import { ApiKeys } from './ApiKeys.js';
import { SigningKeys } from './SigningKeys.js';
import { TokenTest } from './TokenTest.js';

export const KeysPage = () => (
  <>
    <PageHeader title="Keys">
      Your backend signs tokens for clients with a signing key, and calls the API with an API key.
    </PageHeader>
    <Tabs className="page-tabs">
      <TabList aria-label="Keys" className="tab-list">
        <Tab id="signing">Signing keys</Tab>
        <Tab id="api">API keys</Tab>
        <Tab id="test">Test a token</Tab>
      </TabList>
      <TabPanel id="signing" className="tab-panel">
        <SigningKeys />
      </TabPanel>
      <TabPanel id="api" className="tab-panel">
        <ApiKeys />
      </TabPanel>
      <TabPanel id="test" className="tab-panel">
        <TokenTest />
      </TabPanel>
    </Tabs>
  </>
);
