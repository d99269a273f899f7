-- What wrk sends and expects in one turn; wrk.mjs says both, and reads what `done` prints.
-- The groups of a file are asked for in turn. A rotation takes its group out of the ring, and puts it back
-- with the token of the response, so that no two rotations of a group are under way.

local head, before, after, expected, rotates
local ring, size, first, count = {}, 0, 0, 0
local created
-- `done` has a state of its own, and reads these globals of the thread.
wrong, first_wrong, tokens = 0, '', {}

local thread

function setup(one)
  thread = one
end

function init(args)
  rotates, created = args[1] == 'rotate', tonumber(args[3])
  head, before, after, expected = args[4], args[5], args[6], args[7]
  for line in io.lines(args[2]) do
    local number, value = line:match('^(%d+) (.+)$')
    ring[size] = { number = number, value = value }
    size = size + 1
  end
  count = size
end

local function put(entry)
  ring[(first + count) % size] = entry
  count = count + 1
end

local function next_value()
  if size == 0 then
    created = created + 1
    return tostring(created)
  end
  local entry = ring[first]
  first, count = (first + 1) % size, count - 1
  if rotates then
    tokens[entry.number] = ''
  else
    put(entry)
  end
  return entry.value
end

function request()
  local body = before .. next_value() .. after
  return head .. #body .. '\r\n\r\n' .. body
end

function response(status, _, body)
  local number, token = '', ''
  local correct = status == 200 and body:find(expected, 1, true)
  if correct and rotates then
    number, token = body:match('"provided_id":"group (%d+)"'), body:match('"token":"(ugt_%w+)"')
    correct = number and token
  end
  if not correct then
    wrong = wrong + 1
    if wrong == 1 then first_wrong = status .. ' ' .. body:gsub('%s+', ' ') end
  elseif rotates then
    tokens[number] = token
    put({ number = number, value = token })
  end
end

function done(summary, latency)
  local errors = summary.errors
  local lost = errors.connect + errors.read + errors.write + errors.timeout
  local percentiles = { latency:percentile(50), latency:percentile(95), latency:percentile(99) }
  print(('result %d %d %d %d %d'):format(summary.requests, summary.duration, unpack(percentiles)))
  print(('wrong %d %s'):format(thread:get('wrong') + lost, thread:get('first_wrong')))
  for number, token in pairs(thread:get('tokens')) do print('token ' .. number .. ' ' .. token) end
end
