-- /etc/haproxy/forward-auth.lua: forward authentication by HAProxy 2.6 or newer. It needs no library.
-- The API token is in the environment of HAProxy.
local ENDPOINT = 'https://user-groups.example.com/api/v1/forward-auth'
local SETTINGS = 'audience=dashboards&origin=https://app.example.com&cookie=__Host-group&schema=sales&X-Region=variables.region'
local NAMES = { 'X-User-Group', 'X-User-Group-Number', 'X-User-Group-Acting', 'X-User-Group-Data-Source', 'X-Region' }
-- These are of one connection, or the gateway's own.
local LEFT_OUT = { 'host', 'connection', 'upgrade', 'expect', 'te', 'content-length', 'transfer-encoding', 'x-forwarded-for' }

-- The headers of a call or a response, each name with all its values.
local function copy(given)
  local headers = {}
  for name, values in pairs(given or {}) do
    local list = {}
    for index = 0, #values do
      if values[index] then list[#list + 1] = values[index] end
    end
    headers[name] = list
  end
  return headers
end

core.register_action('forward_auth', { 'http-req' }, function(txn)
  local headers = copy(txn.http:req_get_headers())
  for _, name in ipairs(LEFT_OUT) do headers[name] = nil end
  headers['x-gateway-authorization'] = { 'Bearer ' .. os.getenv('API_TOKEN') }
  headers['x-gateway-settings'] = { SETTINGS }
  -- In milliseconds; HAProxy asks four times.
  local response = core.httpclient():get({ url = ENDPOINT, headers = headers, timeout = 2000 })
  local found = copy(response.headers)
  local status = response.status
  for _, name in ipairs(NAMES) do
    local values = found[name:lower()] or {}
    -- A header that is missing would let the viewer's own through.
    if status == 200 and #values ~= 1 then status = 503 end
    if status == 200 then txn.http:req_set_header(name, values[1]) end
  end
  txn.http:req_del_header('Authorization')
  txn.http:req_del_header('Cookie')
  txn:set_var('txn.viewer', status)
end)
