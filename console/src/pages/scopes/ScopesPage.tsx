import { PageHeader } from '../../components/PageHeader.js';

export const ScopesPage = () => <PageHeader title="Scopes" />;
