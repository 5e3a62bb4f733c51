import { operations } from '../walk.js';

/** R02. `domains`: the tags there are. `permissions`, `agentPermissions`: the values of x-permission, x-agent-permission. */
export default function operationsAreComplete(doc, { domains, permissions, agentPermissions }) {
  return [...operations(doc)].flatMap(({ node, path }) => {
    const faults = [];
    const fault = (message, key) => faults.push({ message, path: node[key] === undefined ? path : [...path, key] });
    for (const key of ['summary', 'description']) {
      if (typeof node[key] !== 'string' || node[key].trim() === '') fault(`give the operation a ${key}.`, key);
    }
    if (node.tags?.length !== 1 || !domains.includes(node.tags[0])) {
      fault(`give the operation exactly one tag, its domain: ${domains.join(', ')}.`, 'tags');
    }
    if (!Array.isArray(node.security)) fault('state the security of the operation itself; [] means none.', 'security');
    const takes = (name) => Array.isArray(node.security) && node.security.some((scheme) => name in scheme);
    const basic = takes('BasicAuth');
    if (basic && !permissions.includes(node['x-permission'])) {
      fault(`an operation with BasicAuth states x-permission: ${permissions.join(', ')}.`, 'x-permission');
    }
    if (!basic && node['x-permission'] !== undefined) {
      fault('only an operation with BasicAuth has an x-permission: take it away.', 'x-permission');
    }
    const wanted = node['x-agent-permission'];
    if (wanted === undefined) return faults;
    if (!takes('AgentBearer')) {
      fault('only an operation with AgentBearer has an x-agent-permission: take it away.', 'x-agent-permission');
    } else if (!agentPermissions.includes(wanted)) {
      fault(`x-agent-permission is one of ${agentPermissions.join(', ')}.`, 'x-agent-permission');
    }
    return faults;
  });
}
